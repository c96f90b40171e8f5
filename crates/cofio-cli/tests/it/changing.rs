//! Changing and forgetting.

use crate::machine::Machine;

#[test]
fn a_change_keeps_what_it_does_not_name() {
    let machine = Machine::new();
    machine.transcript(
        r#"
        $ cofio remember tea is black --tag tea --title Tea
        remembered fact_1 in user:alice
        $ cofio edit fact_1 --content 'tea is green' --tag green --metadata '{"title": null, "cup": 1}'
        changed fact_1 in user:alice, now version 2
        $ cofio edit fact_1 --content - --version 2
        < use AKIAIOSFODNN7EXAMPLE
        changed fact_1 in user:alice, now version 3
        took out a secret: aws-key (definite)
        $ cofio edit fact_1 --title T --version 2
        ! error: fact_1 has version 3, not 2: somebody changed it since
        [4]
        $ cofio edit fact_1
        ! error: say what to change, such as --content, --editor, --title or --tag
        [2]
        $ cofio edit fact_1 --editor
        ! error: an editor needs a terminal: use --content instead
        [2]
        $ cofio history fact_1
        version 1, TIME
          tea is black
        version 2, TIME
          tea is green
        version 3, TIME
          use [SECRET_REDACTED]
        ! in user:alice
        "#,
    );
}

#[test]
fn memories_are_forgotten_by_id() {
    Machine::new().transcript(
        r#"
        $ cofio remember one
        remembered fact_1 in user:alice
        $ cofio remember two --layer team --team blue
        remembered fact_2 in team:blue
        $ cofio forget fact_1 fact_2 nonsense fact_00000000000000000000000000000000
        forgot 2 memories in user:alice, team:blue
        ! error: no memory "fact_00000000000000000000000000000000", "nonsense"
        [3]
        $ cofio show fact_1
        ! error: no memory "fact_1"
        [3]
        $ cofio forget fact_1 --json
        {
          "success": false,
          "deleted": 0,
          "ids": [],
          "failed": [
            "fact_1"
          ],
          "scopes": []
        }
        ! {
        !   "error": {
        !     "code": "MEMORY_NOT_FOUND",
        !     "message": "no memory \"fact_1\"",
        !     "operation": null,
        !     "details": {},
        !     "retryable": false
        !   }
        ! }
        [3]
        "#,
    );
}

#[test]
fn memories_are_forgotten_by_description_after_a_question() {
    Machine::new().transcript(
        "
        $ cofio remember one --tag draft
        remembered fact_1 in user:alice
        $ cofio remember two --tag draft
        remembered fact_2 in user:alice
        $ cofio remember three
        remembered fact_3 in user:alice
        $ cofio forget --tag draft
        ! error: this needs to be confirmed: add --yes
        [4]
        $ cofio forget --tag draft --yes
        forgot 2 memories in user:alice
        $ cofio forget --tag draft --yes
        ! error: no memory in user:alice is like that
        [3]
        $ cofio forget
        ! error: say what to forget: ids, or flags such as --kind, --tag or --until
        [2]
        $ cofio forget fact_1 --tag draft
        ! error: give ids or flags that describe memories, not both
        [2]
        $ cofio list
        three
          fact_3 · user:alice · TIME
        ! 1 of 1 in user:alice
        ",
    );
}

#[test]
fn a_sort_is_cleared_everywhere_or_where_the_flags_say() {
    Machine::new().transcript(
        r#"
        $ cofio remember one --kind episode
        remembered ep_1 in user:alice
        $ cofio remember two --kind episode --layer session --session s1
        remembered ep_2 in session:alice/s1
        $ cofio remember three --kind reflection
        remembered ref_3 in user:alice
        $ cofio remember four --kind fact --layer team --team blue
        remembered fact_4 in team:blue
        $ cofio clear episodic
        ! error: this needs to be confirmed: add --yes
        [4]
        $ cofio clear episodic --session s1 --yes
        forgot 1 memory in session:alice/s1
        $ cofio clear episodic --yes --json
        {
          "deleted": 1,
          "scopes": [
            {
              "scope": "user:alice",
              "layer": "user",
              "identifiers": {
                "userId": "alice"
              }
            }
          ]
        }
        $ cofio clear semantic --layer team --yes
        forgot 1 memory in team:blue
        $ cofio remember five --user bob
        remembered fact_5 in user:bob
        $ cofio clear all --yes
        ! error: this needs to be confirmed: add --yes --yes
        [4]
        $ cofio clear all --yes --yes
        forgot 1 memory in user:alice
        $ cofio clear all --yes --yes
        ! error: there is nothing to forget
        [3]
        $ cofio list --user bob
        five
          fact_5 · user:bob · TIME
        ! 1 of 1 in user:bob
        "#,
    );
}

#[test]
fn what_has_ended_is_cleared_only_where_the_flags_say() {
    let machine = Machine::new();
    machine.transcript(
        r#"
        $ cofio remember one --kind episode
        remembered ep_1 in user:alice
        $ cofio remember two --ttl 1ms
        remembered fact_2 in user:alice
        $ cofio remember three --ttl 1ms --layer session --session s1
        remembered fact_3 in session:alice/s1
        $ cofio remember four --ttl 1ms --kind episode --layer session --session s2
        remembered ep_4 in session:alice/s2
        $ cofio remember five --ttl 1ms --layer project --project p1
        remembered fact_5 in project:p1
        $ cofio remember six --ttl 1ms --layer team --team blue
        remembered fact_6 in team:blue
        $ cofio remember seven --layer project --project p1
        remembered fact_7 in project:p1
        $ cofio clear semantic --project p1 --yes
        forgot 2 memories in project:p1
        $ cofio clear all --session s1 --yes --yes
        forgot 1 memory in session:alice/s1
        $ cofio clear episodic --layer session --yes
        forgot 1 memory in session:alice/s2
        $ cofio clear expired --team red
        forgot 0 memories that had ended
        $ cofio clear expired --layer team --json
        {
          "deleted": 1,
          "scopes": [
            {
              "scope": "team:blue",
              "layer": "team",
              "identifiers": {
                "teamId": "blue"
              }
            }
          ]
        }
        $ cofio clear expired
        forgot 1 memory that had ended
        $ cofio clear expired
        forgot 0 memories that had ended
        $ cofio list
        one
          ep_1 · user:alice · TIME
        ! 1 of 1 in user:alice
        "#,
    );
}

#[test]
fn what_was_done_is_on_record() {
    Machine::new().transcript(
        r#"
        $ cofio remember one
        remembered fact_1 in user:alice
        $ cofio search one
        one
          fact_1 · user:alice · TIME
        ! in user:alice
        ! searched by words and names only: cofio model pull adds meaning
        $ cofio forget fact_1
        forgot 1 memory in user:alice
        $ cofio audit list
             1  TIME  alice  memory_write
                in user:alice, count 1, kind "fact", size 3, source "manual"
             2  TIME  alice  memory_read
                count 1, query "search"
             3  TIME  alice  memory_delete
                in user:alice, count 1, ids ["fact_1"], kinds {"fact":1}, reason "id", receipt "RECEIPT"
        ! alice's entries
        $ cofio audit list --after 2 --limit 1 --json
        {
          "entries": [
            {
              "sequence": 3,
              "timestamp": "TIME",
              "action": "memory_delete",
              "userId": "alice",
              "scope": "user:alice",
              "firstChange": 2,
              "lastChange": 2,
              "metadata": {
                "count": 1,
                "ids": [
                  "fact_1"
                ],
                "kinds": {
                  "fact": 1
                },
                "reason": "id",
                "receipt": "RECEIPT"
              },
              "hash": "HASH"
            }
          ],
          "userId": "alice",
          "allUsers": false
        }
        $ cofio audit list --user bob
        ! bob's entries
        $ cofio audit verify
        the record is whole: 3 entries
        $ cofio audit verify --json
        {
          "valid": true,
          "entries": 3,
          "vouched": 3
        }
        "#,
    );
}
