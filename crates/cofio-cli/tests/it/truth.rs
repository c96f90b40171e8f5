//! Confirming and correcting.

use crate::machine::Machine;

#[test]
fn what_is_wrong_is_replaced_and_what_is_true_is_confirmed() {
    Machine::new().transcript(
        "
        $ cofio remember Alice drinks tea --tag drinks
        remembered fact_1 in user:alice
        $ cofio correct fact_1 Alice drinks coffee
        fact_2 replaces fact_1 in user:alice
        $ cofio list
        Alice drinks coffee
          fact_2 · user:alice · TIME · #drinks
        ! 1 of 1 in user:alice
        $ cofio list --state superseded
        Alice drinks tea
          fact_1 · user:alice · TIME · #drinks
        ! 1 of 1 in user:alice
        $ cofio correct fact_1 Alice drinks water
        ! error: fact_1 was replaced by fact_2
        [4]
        $ cofio confirm fact_2
        confirmed fact_2 in user:alice
        $ cofio show fact_2
        Alice drinks coffee

          id           fact_2
          scope        user:alice
          kind         fact, active
          tags         drinks
          confidence   1
          source       manual, trust high
          happened     TIME
          learnt       TIME
          changed      TIME
          replaces     fact_1
          read         1 times
          version      2
        $ cofio correct fact_2 Alice drinks coffee
        ! error: fact_2 says so already
        [2]
        ",
    );
}

#[test]
fn what_waits_is_confirmed_by_its_exact_text() {
    Machine::new().transcript(
        r#"
        $ cofio remember The ferry sails at nine --source web-fetch
        remembered fact_1 in user:alice
          it waits for review, as its source has low trust: cofio review
        $ cofio confirm fact_1
        ! error: this needs to be confirmed: add --yes
        [4]
        $ cofio confirm fact_1 --text 'The ferry sails at ten'
        ! error: fact_1 says something else: read it again
        [4]
        $ cofio confirm fact_1 --text 'The ferry sails at nine'
        confirmed fact_1 in user:alice
        $ cofio correct fact_1 The ferry sails at ten --json
        {
          "memory": {
            "id": "fact_2",
            "content": "The ferry sails at ten",
            "layer": "user",
            "identifiers": {
              "userId": "alice"
            },
            "kind": "fact",
            "state": "active",
            "metadata": {
              "tags": []
            },
            "source": {
              "type": "manual",
              "trust": "high"
            },
            "accessPolicy": "private",
            "eventAt": "TIME",
            "createdAt": "TIME",
            "updatedAt": "TIME",
            "decayRate": 0.1,
            "accessCount": 0,
            "supersedes": "fact_1",
            "entities": [],
            "version": 1,
            "embedding": {
              "state": "pending"
            }
          },
          "replaced": {
            "id": "fact_1",
            "content": "The ferry sails at nine",
            "layer": "user",
            "identifiers": {
              "userId": "alice"
            },
            "kind": "fact",
            "state": "superseded",
            "metadata": {
              "tags": [],
              "confidence": 1.0
            },
            "source": {
              "type": "tool_output",
              "trust": "high"
            },
            "accessPolicy": "private",
            "eventAt": "TIME",
            "createdAt": "TIME",
            "updatedAt": "TIME",
            "validUntil": "TIME",
            "decayRate": 0.0,
            "accessCount": 3,
            "lastAccessedAt": "TIME",
            "supersededBy": "fact_2",
            "entities": [],
            "version": 3,
            "embedding": {
              "state": "pending"
            }
          }
        }
        "#,
    );
}
