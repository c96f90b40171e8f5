//! What Cofio does of itself, by hand: planned, done, listed and taken back.

use serde_json::Value;

use crate::guide::Transcript;
use crate::machine::Machine;

/// Says something in a conversation.
fn say(machine: &Machine, session: &str, text: &str) {
    let flags = format!("remember --layer user --kind episode --role user --session {session}");
    assert!(machine.run(&format!("{flags} '{text}'")).status.success());
}

/// A machine that heard where Alice lives.
fn heard() -> Machine {
    let machine = Machine::new();
    say(&machine, "s1", "I live in Cardiff.");
    say(&machine, "s1", "My favourite colour is green.");
    machine
}

fn json(machine: &Machine, arguments: &str) -> Value {
    let output = machine.run(&machine.with_ids(arguments));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_guide_shows_what_happens() {
    let machine = Machine::new();
    let mut guide = Transcript::default();
    for typed in [
        "remember --kind episode --layer user --session monday --role user 'I live in Cardiff.'",
        "remember --kind episode --layer user --session friday --role user 'I moved to Swansea.'",
        "maintain consolidate --dry-run",
        "maintain consolidate",
        "list --kind fact",
        "list --kind fact --state superseded",
        "jobs",
        "jobs undo job_5 --yes",
        "list --kind fact",
    ] {
        let output = machine.run(&machine.with_ids(typed));
        let shown = machine.without_accidents(&String::from_utf8(output.stdout).unwrap());
        guide.add(&format!("cofio {typed}"), &shown);
    }
    guide.assert_in("lifecycle.md", "## A conversation and what is learnt from it");
}

#[test]
fn a_plan_is_shown_and_nothing_is_changed() {
    let machine = heard();
    let plan = json(&machine, "maintain consolidate --dry-run --json");
    let steps = plan["plan"][0]["steps"].as_array().unwrap();
    let told: Vec<&str> = steps.iter().map(|step| step["content"].as_str().unwrap()).collect();
    assert_eq!(told, ["The user lives in Cardiff", "The user's favourite colour is green"]);
    assert_eq!((&plan["job"], &steps[0]["change"]), (&Value::Null, &"created".into()));
    assert_eq!(json(&machine, "list --kind fact --json")["totalCount"], 0);
    assert_eq!(json(&machine, "jobs --json")["jobs"], Value::Array(Vec::new()));
}

#[test]
fn what_was_done_is_listed_and_taken_back() {
    let machine = heard();
    let done = json(&machine, "maintain consolidate --json");
    assert_eq!((&done["job"]["state"], &done["job"]["created"]), (&"completed".into(), &2.into()));
    let id = done["job"]["id"].as_str().unwrap();
    let shown = json(&machine, &format!("jobs show {id} --json"));
    assert_eq!(shown["changes"].as_array().unwrap().len(), 2);
    let refused = machine.run(&format!("jobs undo {id}"));
    assert_eq!(refused.status.code(), Some(4), "somebody has to agree");
    let undone = json(&machine, &format!("jobs undo {id} --yes --json"));
    assert_eq!((&undone["job"]["task"], &undone["job"]["forgotten"]), (&"undo".into(), &2.into()));
    assert_eq!(json(&machine, "list --kind fact --json")["totalCount"], 0);
    assert_eq!(machine.run(&format!("jobs undo {id} --yes")).status.code(), Some(4));
    let again = json(&machine, "maintain consolidate --json");
    assert_eq!(again["job"]["created"], 0, "what somebody took back is not done again");
    let jobs = json(&machine, "jobs --json")["jobs"].clone();
    let states: Vec<&str> =
        jobs.as_array().unwrap().iter().map(|job| job["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["completed", "completed", "undone"]);
}

#[test]
fn a_while_is_looked_back_on() {
    let machine = heard();
    machine.transcript(
        "
        $ cofio maintain consolidate --of s1
        consolidate completed, 2 added (job_1)
        $ cofio brief --since today
        Learnt
        The user's favourite colour is green
          fact_2 · user:alice · TIME
        The user lives in Cardiff
          fact_3 · user:alice · TIME
        ! in user:alice
        $ cofio brief --accept fact_2 --reject fact_3 --yes
        Learnt
        The user's favourite colour is green
          fact_2 · user:alice · TIME
        1 memory forgotten
        ! in user:alice
        ",
    );
    let accepted = json(&machine, "show fact_2 --json");
    assert_eq!(accepted["metadata"]["confidence"], 1.0);
    assert_eq!(json(&machine, "brief --since monday --json")["forgotten"], 1);
}

#[test]
fn a_while_that_brought_much_is_not_told_at_length() {
    Machine::new().transcript(
        "
        $ cofio brief
        nothing was learnt, changed or forgotten
        ",
    );
    let machine = Machine::new();
    let facts: Vec<String> =
        (1..=23).map(|day| format!("'Ship {day} sails on day {day}'")).collect();
    for fact in &facts {
        assert!(machine.run(&format!("remember --layer user --kind fact {fact}")).status.success());
    }
    let output = machine.run("brief");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(shown.matches("sails on day").count(), 20, "{shown}");
    assert!(shown.ends_with("and 3 more, which --json shows\n"), "{shown}");
    assert_eq!(json(&machine, "brief --json")["learnt"].as_array().unwrap().len(), 23);
}

#[test]
fn what_cannot_be_done_is_said() {
    heard().transcript(
        "
        $ cofio maintain decay
        decay completed, nothing to do (job_1)
        $ cofio maintain decay --of s1
        ! error: decay knows no conversations; only consolidate and promote do
        [2]
        $ cofio maintain all --of s1 --dry-run
        ! error: enrich knows no conversations; only consolidate and promote do
        [2]
        $ cofio jobs spending
        no language model was asked yet
        $ cofio jobs show job_00000000000000000000000000000000
        ! error: no job \"job_00000000000000000000000000000000\"
        [3]
        $ cofio jobs list --task undone
        ! error: invalid value 'undone' for '--task <TASK>': unknown task \"undone\"; known: enrich, consolidate, promote, merge, decay, reflect, expire, files, undo
        !
        ! For more information, try '--help'.
        [2]
        $ COFIO_SCHEDULE_DECAY=never cofio jobs
        ! error: cannot use \"never\" for schedule.decay (variable COFIO_SCHEDULE_DECAY): cron \"never\": it has 1 field, not the five of minute, hour, day of the month, month and day of the week, or \"off\"
        [2]
        ",
    );
}
