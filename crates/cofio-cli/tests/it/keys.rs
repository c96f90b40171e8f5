//! Keys by which other programs prove themselves.

use serde_json::{Value, json};

use crate::machine::{Machine, complaint};

#[test]
fn a_token_is_shown_once_and_its_key_listed_rotated_and_revoked() {
    Machine::new().transcript(
        "
        $ cofio key list
        ! 0 keys, 0 of them valid
        $ cofio key create laptop --user alice
        TOKEN
        ! the token is shown only now: keep it where secrets are kept
        ! key_1 (laptop) may read, write in user alice
        $ cofio key create dashboard --read-only --any user --project cofio --project website --trust low --expires 90d
        TOKEN
        ! the token is shown only now: keep it where secrets are kept
        ! key_2 (dashboard) may read in any user; project cofio, website, with low trust at most
        $ cofio key create cleaner --user alice --session s1 --right read --right delete --expires 2999-12-31
        TOKEN
        ! the token is shown only now: keep it where secrets are kept
        ! key_3 (cleaner) may read, delete in user alice; session s1
        $ cofio key create operations --admin
        TOKEN
        ! the token is shown only now: keep it where secrets are kept
        ! key_4 (operations) may read, write, delete, admin in everything
        $ cofio key rotate key_1 --grace 1h
        TOKEN
        ! the token is shown only now: keep it where secrets are kept
        ! key_5 (laptop) may read, write in user alice
        ! key_1 works until TIME
        $ cofio key rotate key_1
        ! error: key_1 was replaced by key_5
        [4]
        $ cofio key rotate key_3
        TOKEN
        ! the token is shown only now: keep it where secrets are kept
        ! key_6 (cleaner) may read, delete in user alice; session s1
        ! key_3 opens nothing any more
        $ cofio key revoke key_2
        revoked key_2 (dashboard)
        $ cofio key revoke key_2
        revoked key_2 (dashboard)
        $ cofio key revoke key_00000000000000000000000000000000
        ! error: no key \"key_00000000000000000000000000000000\"
        [3]
        $ cofio key revoke laptop
        ! error: no key \"laptop\"
        [3]
        $ cofio key list
        laptop
          key_1 · read, write in user alice
          made TIME · ends TIME · replaced by key_5
        dashboard
          key_2 · read in any user; project cofio, website, with low trust at most
          made TIME · ends TIME · revoked TIME
        cleaner
          key_3 · read, delete in user alice; session s1
          made TIME · ended TIME · revoked TIME · replaced by key_6
        operations
          key_4 · read, write, delete, admin in everything
          made TIME
        laptop
          key_5 · read, write in user alice
          made TIME
        cleaner
          key_6 · read, delete in user alice; session s1
          made TIME · ends TIME
        ! 6 keys, 4 of them valid
        ",
    );
}

#[test]
fn programs_get_the_same_in_json() {
    Machine::new().transcript(
        r#"
        $ cofio key create ci --user alice --any project --json
        {
          "key": {
            "id": "key_1",
            "name": "ci",
            "rights": [
              "read",
              "write"
            ],
            "bound": {
              "project": "any",
              "user": [
                "alice"
              ]
            },
            "trust": "high",
            "createdAt": "TIME",
            "expiresAt": null,
            "revokedAt": null,
            "replacedBy": null
          },
          "token": "TOKEN"
        }
        $ cofio key revoke key_1 --json
        {
          "id": "key_1",
          "name": "ci",
          "rights": [
            "read",
            "write"
          ],
          "bound": {
            "project": "any",
            "user": [
              "alice"
            ]
          },
          "trust": "high",
          "createdAt": "TIME",
          "expiresAt": null,
          "revokedAt": "TIME",
          "replacedBy": null
        }
        "#,
    );
}

#[test]
fn who_makes_a_key_is_on_record_and_not_whom_it_is_for() {
    let machine = Machine::new();
    assert!(machine.run("key create phone --user bob").status.success());
    let record = machine.run("audit list --json");
    let record: Value = serde_json::from_slice(&record.stdout).unwrap();
    let entry = &record["entries"][0];
    assert_eq!((&entry["userId"], &entry["action"]), (&json!("alice"), &json!("key_created")));
    assert_eq!(entry["metadata"]["name"], "phone");
}

#[test]
fn a_token_is_a_secret_to_every_command() {
    let machine = Machine::new();
    let made = machine.run("key create laptop --user alice --json");
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    let token = made["token"].as_str().unwrap();
    assert!(machine.run(&format!("remember the key of the laptop: {token}")).status.success());
    let key = machine.run(&format!("key create 'pasted {token}' --user alice --json"));
    let key: Value = serde_json::from_slice(&key.stdout).unwrap();
    assert_eq!(key["key"]["name"], "pasted [SECRET_REDACTED]");
    let secret = token.rsplit('_').next().unwrap();
    for command in ["list", "key list", "audit list", "doctor"] {
        let output = machine.run(command);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(!text.contains(secret) && output.status.success(), "{command}: {text}");
    }
}

#[test]
fn a_copy_elsewhere_opens_nothing_until_its_keys_are_rotated() {
    let machine = Machine::new();
    machine.transcript(
        "
        $ cofio key create laptop --user alice
        TOKEN
        ! the token is shown only now: keep it where secrets are kept
        ! key_1 (laptop) may read, write in user alice
        $ cofio backup copy.db
        copied HOME/cofio.db to copy.db
        $ cofio restore copy.db --yes
        restored HOME/cofio.db from copy.db
        $ cofio restore copy.db --yes --store other.db
        restored WORK/other.db from copy.db
          revoked: 1 key of the copy; cofio key rotate makes new ones
        $ cofio key rotate key_1 --store other.db
        TOKEN
        ! the token is shown only now: keep it where secrets are kept
        ! key_2 (laptop) may read, write in user alice
        ! key_1 opens nothing any more
        ",
    );
}

/// Checks that a command line is refused with a message, and nothing is made.
fn check(arguments: &str, expected: &str) {
    let machine = Machine::new();
    let (text, code) = complaint(&machine.run(arguments));
    let first = text.lines().next().unwrap_or_default();
    assert_eq!((first, code), (format!("error: {expected}").as_str(), 2), "{arguments}");
    let keys: Value = serde_json::from_slice(&machine.run("key list --json").stdout).unwrap();
    assert_eq!(keys, json!({"keys": []}), "{arguments}");
}

#[test]
fn a_key_that_makes_no_sense_is_not_made() {
    check(
        "key create laptop",
        "a key needs something to open: add --user NAME, --project NAME or another name, \
         --any LAYER for all of a layer, or --admin for everything",
    );
    check(
        "key create laptop --session s1",
        "a key for the session layer has to open the user layer too: add --user NAME",
    );
    check(
        "key create laptop --agent coder --project cofio",
        "a key for the agent layer has to open the user layer too: add --user NAME",
    );
    for admin in ["--admin", "--right admin --right read"] {
        check(
            &format!("key create laptop --user alice {admin}"),
            "a key that may administer the store opens everything, and takes no identifiers",
        );
    }
    check(
        "key create laptop --any user --user alice",
        "--any user opens every user: leave --user out",
    );
    check(
        "key create laptop --user alice --layer user",
        "a key opens names: give --user NAME and the like, or --any LAYER",
    );
    check(
        "key create '' --user alice",
        "a key needs a name to know it by: an identifier needs a character, and no space around it",
    );
    check(
        "key create laptop --user ' alice'",
        "an identifier needs a character, and no space around it",
    );
}

#[test]
fn flags_of_a_key_that_make_no_sense_are_refused() {
    check(
        "key create laptop --admin --read-only",
        "the argument '--admin' cannot be used with '--read-only'",
    );
    check(
        "key create laptop --read-only --right write --user alice",
        "the argument '--read-only' cannot be used with '--right <RIGHT>'",
    );
    check(
        "key create laptop --any planet",
        "invalid value 'planet' for '--any <LAYER>': unknown layer \"planet\"; known: agent, user, \
         session, project, team, org, company",
    );
    check(
        "key create laptop --right fly --user alice",
        "invalid value 'fly' for '--right <RIGHT>': unknown right \"fly\"; known: read, write, \
         delete, admin",
    );
    check(
        "key create laptop --user alice --trust total",
        "invalid value 'total' for '--trust <TRUST>': unknown trust level \"total\"; known: low, \
         medium, high",
    );
    check(
        "key create laptop --user alice --expires soon",
        "invalid value 'soon' for '--expires <TIME>': give a time such as 90d, a day such as \
         2026-01-31, or a moment such as 2026-01-31T12:00:00Z",
    );
    check(
        "key create laptop --user alice --expires 2020-01-31",
        "a key cannot end before it begins",
    );
    check(
        "key create laptop --user alice --expires 9999-12-31",
        "9999-12-31 is outside the calendar: give a day before 9999-12-30",
    );
    check(
        "key create laptop --user alice --expires 3000000d",
        "a time this long has no end in the calendar",
    );
    check(
        "key rotate key_00000000000000000000000000000000 --grace 0s",
        "invalid value '0s' for '--grace <TIME>': give a time such as 1h, 7d or 12w",
    );
}
