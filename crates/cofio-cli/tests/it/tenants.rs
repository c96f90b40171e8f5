//! Two tenants and an administrator, as the guide shows them.

use std::process::{Command, Stdio};

use regex::Regex;

use crate::clients::served::Served;
use crate::guide::Transcript;
use crate::machine::{Machine, complaint};
use crate::programs;

#[test]
fn the_guide_shows_two_tenants_and_an_administrator() {
    let machine = Machine::new();
    let mut play = Play::new(&machine);
    let admin = play.key("cofio key create admin --admin", "ADMIN");
    play.key(
        "cofio key create alice --user alice --right read --right write --right delete",
        "ALICE",
    );
    play.key("cofio key create bob --user bob", "BOB");
    let served = Served::start(&machine, &[]);
    play.variables.push(("URL".to_owned(), served.address.clone()));
    let url = "URL=http://127.0.0.1:7717";
    play.transcript.add(url, "");

    let json = "-H 'content-type: application/json'";
    let kept = play.run(&format!(
        "curl -s $URL/v1/memories -H \"authorization: Bearer $ALICE\" {json} \
         -d '{{\"layer\": \"user\", \"content\": \"Alice drinks her tea black\"}}'"
    ));
    let id = Regex::new("fact_[0-9a-f]{32}").unwrap().find(&kept).unwrap().as_str().to_owned();
    let search = |key: &str| {
        format!(
            "curl -s $URL/v1/search -H \"authorization: Bearer ${key}\" {json} \
             -d '{{\"query\": \"tea\", \"limit\": 1}}'"
        )
    };
    assert!(play.run(&search("ALICE")).contains("drinks her tea black"));
    assert!(play.run(&search("BOB")).contains("\"results\":[]"));
    let foreign = format!("curl -s $URL/v1/memories/{id} -H \"authorization: Bearer $BOB\"");
    assert!(play.run(&foreign).contains("MEMORY_NOT_FOUND"));
    let wider = format!(
        "curl -s $URL/v1/search -H \"authorization: Bearer $BOB\" {json} \
         -d '{{\"query\": \"tea\", \"identifiers\": {{\"userId\": \"alice\"}}}}'"
    );
    assert!(play.run(&wider).contains("UNAUTHORIZED"));
    let audit =
        play.run("curl -s \"$URL/v1/audit?after=0&limit=2\" -H \"authorization: Bearer $ADMIN\"");
    assert!(audit.contains("key_created") && !audit.contains(&admin));
    play.transcript.assert_in("http.md", "## Two tenants and an administrator");
}

#[test]
fn the_guide_shows_a_conversation_that_is_learnt_from_and_taken_back() {
    let machine = Machine::new();
    let mut play = Play::new(&machine);
    let served = Served::start(&machine, &[]);
    play.variables.push(("URL".to_owned(), served.address.clone()));
    play.transcript.add("URL=http://127.0.0.1:7717", "");
    let mut post = |path: &str, body: &str| {
        let json = "-H 'content-type: application/json'";
        play.run(&format!("curl -s $URL{path} {json} -d '{body}'"))
    };
    post(
        "/v1/memories",
        r#"{"layer": "session", "identifiers": {"sessionId": "standup"}, "kind": "episode", "content": "I live in Cardiff"}"#,
    );
    let task = r#"{"task": "consolidate", "conversation": "standup""#;
    let planned = post("/v1/maintenance", &format!("{task}, \"dryRun\": true}}"));
    assert!(planned.contains(r#""job":null"#) && planned.contains("created"), "{planned}");
    let done = post("/v1/maintenance", &format!("{task}}}"));
    assert!(done.contains(r#""created":1"#), "{done}");
    let job = Regex::new("job_[0-9a-f]{32}").unwrap().find(&done).unwrap().as_str();
    let undone = post(&format!("/v1/maintenance/{job}/undo"), "{}");
    assert!(undone.contains(r#""forgotten":1"#), "{undone}");
    play.transcript.assert_in("http.md", "## What it does of itself");
}

/// What is typed one after the other, with the keys that were made.
struct Play<'a> {
    machine: &'a Machine,
    transcript: Transcript,
    variables: Vec<(String, String)>,
}

impl<'a> Play<'a> {
    fn new(machine: &'a Machine) -> Self {
        Self { machine, transcript: Transcript::default(), variables: Vec::new() }
    }

    /// Makes a key, whose token a variable has from then on.
    fn key(&mut self, typed: &str, name: &str) -> String {
        let printed = self.run(typed);
        let token = Regex::new("cofio_[0-9a-f]{32}_[0-9A-Za-z]{43}").unwrap();
        let token = token.find(&printed).expect("the token is shown").as_str().to_owned();
        self.transcript.add(&format!("{name}=cofio_…"), "");
        self.variables.push((name.to_owned(), token.clone()));
        token
    }

    /// Runs what must succeed, and returns what it printed.
    fn run(&mut self, typed: &str) -> String {
        let mut shell = Command::new("sh");
        shell.args(["-c", typed]).stdin(Stdio::null()).current_dir(self.machine.path(""));
        shell.env_clear().env("USER", "alice").env("COFIO_HOME", self.machine.home(""));
        shell.env("PATH", programs::search_path()).envs(self.variables.clone());
        let output = shell.output().unwrap();
        let (told, code) = complaint(&output);
        assert_eq!(code, 0, "{typed}: {told}");
        let printed = String::from_utf8(output.stdout).unwrap();
        self.transcript.add(&self.steady(typed), &self.steady(&printed));
        printed
    }

    /// Puts names in the place of what differs from run to run, and of what nobody may see.
    fn steady(&self, text: &str) -> String {
        let token = Regex::new("cofio_[0-9a-f]{32}_[0-9A-Za-z]{43}").unwrap();
        let text = token.replace_all(text, "cofio_…");
        let key = Regex::new("key_[0-9a-f]{32}").unwrap().replace_all(&text, "key_…").into_owned();
        let key = Regex::new("job_[0-9a-f]{32}").unwrap().replace_all(&key, "job_…").into_owned();
        let took = Regex::new("\"durationSeconds\":[^,]+").unwrap();
        let key = took.replace_all(&key, "\"durationSeconds\":0.5").into_owned();
        let request = Regex::new("\"request_id\":\"[0-9a-f]{32}\"").unwrap();
        let text = request.replace_all(&key, "\"request_id\":\"…\"");
        let score = Regex::new(r"-?\d\.\d{3,}").unwrap().replace_all(&text, "0.5");
        self.machine.without_accidents(&score)
    }
}
