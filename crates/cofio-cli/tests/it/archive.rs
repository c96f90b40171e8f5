//! Putting away and bringing back.

use crate::machine::Machine;

#[test]
fn what_is_put_away_is_found_on_request_and_comes_back() {
    Machine::new().transcript(
        "
        $ cofio remember tea is black
        remembered fact_1 in user:alice
        $ cofio archive fact_1
        fact_1 is archived in user:alice
        $ cofio list
        ! 0 of 0 in user:alice
        $ cofio list --state archived
        tea is black
          fact_1 · user:alice · TIME
        ! 1 of 1 in user:alice
        $ cofio history fact_1
        version 1, TIME
          tea is black
        version 2, TIME
          tea is black
        ! in user:alice
        $ cofio archive --bring-back fact_1
        fact_1 is active in user:alice
        $ cofio list
        tea is black
          fact_1 · user:alice · TIME
        ! 1 of 1 in user:alice
        $ cofio remember the ferry sinks --source web-fetch
        remembered fact_2 in user:alice
          it waits for review, as its source has low trust: cofio review
        $ cofio archive --bring-back fact_2
        ! error: fact_2 is pending and cannot become active
        [4]
        ",
    );
}
