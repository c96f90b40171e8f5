//! The server as a process: how soon it answers, that it ends, and that it does not grow.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::agent::{Agent, ERAS, Era};
use super::fuzz::size;
use crate::machine::{Machine, feed};

/// How soon the first answer comes; a machine that does much else is given more.
const SOON: Duration = Duration::from_millis(if cfg!(debug_assertions) { 500 } else { 100 });

/// How long something that happens by itself may take on a machine that does much else.
const LONG: Duration = Duration::from_secs(90);

/// Leaves memories in the store, without vectors.
fn fill(machine: &Machine, count: usize) {
    let line = |number: usize| {
        let content = format!("Boat {number} left harbour {}", number % 97);
        json!({ "content": content }).to_string()
    };
    let lines = (0..count).map(line).collect::<Vec<_>>().join("\n");
    let mut command = machine.command();
    command.args(["remember", "--jsonl", "--kind", "episode"]);
    let output = feed(&mut command, lines.as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn conversations_that_are_over_are_learnt_from_while_an_agent_is_connected() {
    let machine = Machine::new();
    for (session, said) in [("s1", "I live in Cardiff."), ("s2", "Good morning.")] {
        let flags = format!("remember --layer user --kind episode --role user --session {session}");
        assert!(machine.run(&format!("{flags} '{said}'")).status.success());
    }
    let agent = Agent::start(&machine, "", ERAS[0]);
    let begun = Instant::now();
    let learnt = || {
        let listed = machine.run("list --kind fact --json");
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        listed["memories"][0]["content"].as_str().map(str::to_owned)
    };
    while learnt().is_none() && begun.elapsed() < LONG {
        thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(learnt().as_deref(), Some("The user lives in Cardiff"));
    drop(agent);
}

#[test]
fn the_first_answer_comes_at_once() {
    let machine = Machine::new();
    let memories = size("memories", 200);
    fill(&machine, memories);
    let first = |era| {
        let start = Instant::now();
        let mut agent = Agent::without_handshake(&machine, "", era, None);
        match era {
            Era::Handshake(version) => agent.shake_hands(version),
            Era::Inline => drop(agent.ask("server/discover", json!({}))),
        }
        let first = start.elapsed();
        agent.ask("tools/list", json!({}));
        (first, start.elapsed())
    };
    for era in ERAS {
        let (best, listed) = (0..5).map(|_| first(era)).min().unwrap();
        println!("{era:?}, {memories} memories: first answer in {best:?}, tools in {listed:?}");
        assert!(best < SOON, "{best:?}");
    }
}

#[test]
fn memories_are_embedded_while_it_serves() {
    let machine = Machine::with_model();
    let mut agent = Agent::start(&machine, "", Era::Inline);
    agent.done("remember", json!({"content": "The kitten sleeps on the sofa"}));
    let start = Instant::now();
    loop {
        let found = agent.done("search", json!({"query": "where does my cat take a nap"}));
        if found["memories"][0]["content"] == "The kitten sleeps on the sofa" {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "nothing embeds it");
        thread::sleep(Duration::from_millis(50));
    }
    fill(&machine, 500);
    let (status, took) = agent.end();
    assert!(status.success() && took < Duration::from_secs(3), "{status} {took:?}");
}

#[test]
fn the_end_of_input_ends_the_process_and_what_was_asked_is_answered() {
    let machine = Machine::new();
    for era in ERAS {
        let mut agent = Agent::start(&machine, "", era);
        let asked: Vec<u64> = (0..20)
            .map(|number| {
                let arguments = json!({"content": format!("Boat {number} of {era:?} is red")});
                agent.send("tools/call", json!({"name": "remember", "arguments": arguments}))
            })
            .collect();
        let process = agent.process();
        agent.close();
        for id in asked {
            assert_eq!(agent.answer_to(&json!(id))["isError"], false);
        }
        let (status, took) = agent.end();
        assert!(status.success() && took < Duration::from_secs(3), "{status} {took:?}");
        assert!(!fs::exists(format!("/proc/{process}")).unwrap_or(false), "it is still there");
    }
    // Whoever says nothing at all ends it too.
    let silent = machine.command().arg("mcp").stdin(Stdio::null()).output().unwrap();
    assert!(silent.status.success() && silent.stdout.is_empty() && silent.stderr.is_empty());
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_in_order() {
    let machine = Machine::new();
    for signal in ["-TERM", "-INT"] {
        let mut agent = Agent::start(&machine, "", Era::Inline);
        agent.done("remember", json!({"content": format!("kept before {signal}")}));
        let sent = Command::new("kill").args([signal, &agent.process().to_string()]).status();
        assert!(sent.unwrap().success());
        let (status, took) = agent.ended();
        assert!(status.success() && took < Duration::from_secs(3), "{status} {took:?}");
    }
}

#[test]
fn a_call_that_is_cancelled_is_not_answered_and_others_are() {
    let machine = Machine::new();
    let mut agent = Agent::with_user(&machine, "", Era::Handshake("2025-06-18"), Some("accept"));
    // The question to the user is not answered, so the call waits until it is cancelled.
    let arguments = json!({"content": "The ferry sails at nine", "source": "web"});
    let id = agent.send("tools/call", json!({"name": "remember", "arguments": arguments}));
    agent.wait_for_question();
    agent.tell(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    assert_eq!(agent.done("inspect", json!({"what": "waiting"}))["total"], 1);
    assert!(!agent.was_answered(id));
}

/// Does many calls, and returns by how many kilobytes the process has grown after the first tenth.
pub fn growth(calls: usize) -> (u64, u64) {
    let machine = Machine::new();
    let mut agent = Agent::start(&machine, "", Era::Inline);
    let mut before = 0;
    for number in 0..calls {
        let arguments = json!({"query": format!("what about boat {}", number % 100)});
        let call: (&str, Value) = match number % 4 {
            0 => ("remember", json!({"content": format!("Boat {} is red", number % 100)})),
            1 => ("context", json!({"prompt": format!("boat {}", number % 100)})),
            2 => ("inspect", json!({"what": "list"})),
            _ => ("search", arguments),
        };
        agent.done(call.0, call.1);
        if number == calls / 10 {
            before = resident(agent.process());
        }
    }
    (before, resident(agent.process()))
}

/// Returns how many kilobytes of memory a process has.
fn resident(process: u32) -> u64 {
    kilobytes(process, "VmRSS:")
}

/// Returns how many kilobytes of memory a process has ever had.
pub fn peak(process: u32) -> u64 {
    kilobytes(process, "VmHWM:")
}

fn kilobytes(process: u32, what: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(what)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(target_os = "linux")]
#[test]
fn many_calls_do_not_make_it_grow() {
    let calls = size("calls", 600);
    let (before, after) = growth(calls);
    println!("{calls} calls: {before} kB after a tenth of them, {after} kB at the end");
    assert!(before > 0 && after < before + before / 4 + 4_096, "{before} kB became {after} kB");
}
