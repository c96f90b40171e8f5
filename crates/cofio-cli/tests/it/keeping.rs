//! Remembering: one text, many, values by key, and the window of a conversation.

use crate::machine::Machine;

#[test]
fn a_text_is_remembered_once() {
    Machine::new().transcript(
        "
        $ cofio remember Alice drinks her tea black --tag tea
        remembered fact_1 in user:alice
        $ cofio remember Alice drinks her tea black
        known already: fact_1 in user:alice
        $ cofio show fact_1
        Alice drinks her tea black

          id           fact_1
          scope        user:alice
          kind         fact, active
          tags         tea
          source       manual, trust high
          happened     TIME
          learnt       TIME
          read         0 times
          version      1
        ",
    );
}

#[test]
fn everything_known_about_a_text_is_kept() {
    Machine::new().transcript(
        r#"
        $ cofio remember 'Lunch with @bob' --kind episode --layer session --session s1 --title Lunch --author Bob --role user --importance 0.5 --confidence 1 --event-time 2026-03-04 --ttl 30d --source other-message --tool mail --reference inbox/7 --message m7 --metadata '{"colour": "red", "description": "about food"}' --json
        {
          "memory": {
            "id": "ep_1",
            "content": "Lunch with @bob",
            "layer": "session",
            "identifiers": {
              "sessionId": "s1",
              "userId": "alice"
            },
            "kind": "episode",
            "state": "active",
            "metadata": {
              "title": "Lunch",
              "description": "about food",
              "tags": [],
              "author": "Bob",
              "confidence": 1.0,
              "importance": 0.5,
              "custom": {
                "colour": "red"
              }
            },
            "source": {
              "type": "conversation",
              "trust": "medium",
              "sessionId": "s1",
              "messageId": "m7",
              "toolName": "mail",
              "reference": "inbox/7",
              "role": "user"
            },
            "accessPolicy": "private",
            "eventAt": "TIME",
            "createdAt": "TIME",
            "updatedAt": "TIME",
            "expiresAt": "TIME",
            "decayRate": 0.0,
            "accessCount": 0,
            "entities": [
              {
                "name": "bob",
                "type": "person",
                "alias": "@bob"
              }
            ],
            "version": 1,
            "embedding": {
              "state": "pending"
            }
          },
          "embeddingGenerated": false,
          "existing": false
        }
        $ cofio show ep_1 --session s1
        Lunch with @bob

          id           ep_1
          scope        session:alice/s1
          kind         episode, active
          title        Lunch
          description  about food
          author       Bob
          confidence   1
          importance   0.5
          custom       {"colour":"red"}
          source       conversation, trust medium, session s1, role user, tool mail, message m7, reference inbox/7
          happened     TIME
          learnt       TIME
          ends         TIME
          names        @bob
          read         0 times
          version      1
        "#,
    );
}

#[test]
fn a_text_is_read_from_standard_input() {
    Machine::new().transcript(
        "
        $ cofio remember - --kind reflection
        < first line
        < second line
        remembered ref_1 in user:alice
        $ cofio list
        first line second line
          ref_1 · user:alice · TIME
        ! 1 of 1 in user:alice
        ",
    );
}

#[test]
fn a_statement_needs_no_text() {
    Machine::new().transcript(
        "
        $ cofio remember --fact uses cofio 'is written in' Rust --confidence 0.9
        remembered proc_1 in user:alice
        $ cofio remember --fact uses cofio 'is written in' Rust --kind fact
        ! error: a statement is a procedure, not of kind fact
        [2]
        $ cofio remember cofio is written in Rust --kind procedure
        ! error: a procedure needs a type, a subject, a predicate and an object
        [2]
        $ cofio show proc_1
        cofio is written in Rust

          id           proc_1
          scope        user:alice
          kind         procedure, active
          fact         cofio is written in Rust (uses)
          confidence   0.9
          source       manual, trust high
          happened     TIME
          learnt       TIME
          read         0 times
          version      1
        ",
    );
}

#[test]
fn what_was_a_secret_is_told_but_not_shown() {
    Machine::new().transcript(
        "
        $ cofio remember the password is hunter22 and the key AKIAIOSFODNN7EXAMPLE
        ! error: a password or another credential is not learnt as a fact
        [4]
        $ cofio remember the password is hunter22 and the key AKIAIOSFODNN7EXAMPLE --kind episode
        remembered ep_1 in user:alice
        took out a secret: password (probable)
        took out a secret: aws-key (definite)
        $ cofio list
        the password is [SECRET_REDACTED] and the key [SECRET_REDACTED]
          ep_1 · user:alice · TIME
        ! 1 of 1 in user:alice
        ",
    );
}

#[test]
fn what_was_a_secret_in_a_value_is_told_too() {
    Machine::new().transcript(
        "
        $ cofio context set login 'the password is hunter22'
        kept ctx_1 in user:alice
        took out a secret: password (probable)
        $ cofio context set login 'the password is hunter23'
        kept ctx_1 in user:alice
        took out a secret: password (probable)
        $ cofio context get login
        the password is [SECRET_REDACTED]
        ! in user:alice
        ",
    );
    let machine = Machine::new();
    let output = machine.run("context set login 'password = hunter22' --json").stdout;
    let output: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(output["contextKey"], "login");
    assert_eq!(output["redactions"][0]["class"], "password");
}

#[test]
fn a_repeated_request_has_the_first_answer_and_another_one_conflicts() {
    Machine::new().transcript(
        "
        $ cofio remember tea --kind working --layer session --session s1 --idempotency-key k1
        remembered work_1 in session:alice/s1
        $ cofio remember tea --kind working --layer session --session s1 --idempotency-key k1
        remembered work_1 in session:alice/s1
        $ cofio remember coffee --kind working --layer session --session s1 --idempotency-key k1
        ! error: this idempotency key was used for another request
        [4]
        ",
    );
}

#[test]
fn the_layer_is_never_guessed() {
    Machine::new().transcript(
        r#"
        $ cofio remember tea --session s1
        ! error: --session does not say whose the memory is: add --layer session, or --layer user if it is not the session's own
        [2]
        $ cofio remember tea --team blue --layer user
        remembered fact_1 in user:alice
        $ cofio context set branch main --agent helper
        ! error: --agent does not say whose the memory is: add --layer agent, or --layer user if it is not the agent's own
        [2]
        $ cofio remember tea --layer team
        ! error: the team layer needs the team identifier: add --team NAME
        [2]
        $ cofio remember tea --layer galaxy
        ! error: cannot use "galaxy" for layer (flag --layer): unknown layer "galaxy"; known: agent, user, session, project, team, org, company
        [2]
        $ COFIO_SESSION=s1 cofio remember tea
        known already: fact_1 in user:alice
        "#,
    );
}

#[test]
fn lines_are_remembered_together() {
    Machine::new().transcript(
        r#"
        $ cofio remember --jsonl --kind episode --author Nora
        < {"content": "Ask @ines for flour", "role": "user", "eventAt": "2026-03-04T10:00:00Z"}
        <
        < {"content": "Ines has the key", "kind": "fact", "author": "Tom", "tags": ["key"], "metadata": {"room": 7}}
        < {"fact": {"factType": "has", "subject": "Ines", "predicate": "has", "object": "key"}, "kind": "procedure", "importance": 0.5}
        < {"content": "Ask @ines for flour", "role": "user", "eventAt": "2026-03-04T10:00:00Z"}
        < {"content": "password = hunter22"}
        remembered 4 memories in user:alice, 1 known already
        took out 1 secret: password
        $ cofio remember --jsonl --json
        < {"content": "Ines has the key"}
        {
          "added": 0,
          "existing": 1,
          "ids": [
            "fact_1"
          ],
          "redactions": [],
          "scope": "user:alice",
          "layer": "user",
          "identifiers": {
            "userId": "alice"
          }
        }
        "#,
    );
}

#[test]
fn one_wrong_line_is_named_and_nothing_is_kept() {
    let machine = Machine::new();
    for (line, complaint) in [
        ("nonsense", "this line is no JSON, or nests too deep (column 2)"),
        ("[1]", "this line needs a JSON object"),
        (r#"{"kind": "fact"}"#, "content is missing"),
        (r#"{"content": 7}"#, "content needs a text"),
        (r#"{"content": " "}"#, "there is nothing to remember in an empty text"),
        (r#"{"content": "x", "colour": "red"}"#, r#"unknown field "colour""#),
        (r#"{"content": "x", "importance": 7}"#, "importance needs a number from 0 to 1"),
        (r#"{"content": "x", "tags": ["a", 1]}"#, "a tag needs a text"),
        (r#"{"content": "x", "ttl": "soon"}"#, "ttl: give a time such as 1h, 7d or 12w"),
        (
            r#"{"content": "x", "source": "rumour"}"#,
            r#"unknown channel "rumour"; known: owner-message, other-message, tool-read, web-fetch, inference, explicit-save, knowledge-sync, import"#,
        ),
        (r#"{"content": "x", "metadata": {"tags": 1}}"#, "tags needs a list of texts"),
        (r#"{"fact": {"subject": "x"}}"#, "factType needs a text"),
    ] {
        machine.transcript(&format!(
            "$ cofio remember --jsonl\n< {{\"content\": \"fine\"}}\n< {line}\n! error: line 2: {complaint}\n[2]\n"
        ));
    }
    machine.transcript("$ cofio list\n! 0 of 0 in user:alice\n");
}

#[test]
fn a_value_is_kept_by_key_for_the_day() {
    Machine::new().transcript(
        "
        $ cofio context set branch feature/tea
        kept ctx_1 in user:alice
        $ cofio context set branch -
        < main
        kept ctx_1 in user:alice
        $ cofio context get branch
        main
        ! in user:alice
        $ cofio context get nothing
        ! error: nothing is kept under this key
        [3]
        $ cofio context set '' main
        ! error: a key has 1 to 256 bytes and no control characters
        [2]
        ",
    );
}

#[test]
fn a_window_holds_the_last_turns_of_a_session() {
    Machine::new().transcript(
        r#"
        $ COFIO_WINDOW_TURNS=1 cofio window push user one --session s1
        user
          one
        ! in session:alice/s1
        $ COFIO_WINDOW_TURNS=1 cofio window push assistant two --session s1
        user
          one
        assistant
          two
        ! in session:alice/s1
        $ COFIO_WINDOW_TURNS=1 cofio window push user three --session s1
        assistant
          two
        user
          three
        ! in session:alice/s1
        $ cofio window show --session s1 --json
        {
          "turns": [
            {
              "role": "assistant",
              "content": "two",
              "timestamp": "TIME"
            },
            {
              "role": "user",
              "content": "three",
              "timestamp": "TIME"
            }
          ],
          "scope": "session:alice/s1",
          "layer": "session",
          "identifiers": {
            "sessionId": "s1",
            "userId": "alice"
          }
        }
        $ cofio window clear --session s1
        forgot 2 memories in session:alice/s1
        $ cofio window show --session s1
        ! in session:alice/s1
        $ cofio window show
        ! error: the session layer needs the session identifier: add --session NAME
        [2]
        "#,
    );
}
