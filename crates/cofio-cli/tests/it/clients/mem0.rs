//! Mem0's own client in Python, which takes this server for Mem0's.

use super::served::Served;
use super::steps::Client;
use crate::machine::Machine;
use crate::programs;

/// Plays a transcript with a machine of its own.
fn check(expected: &str) {
    let Some(python) = programs::python() else { return };
    let machine = Machine::new();
    let served = Served::start(&machine, &["--mem0"]);
    let client = Client::start(&machine, &python, "mem0_client.py", &["sync", &served.address]);
    client.transcript(expected);
}

#[test]
fn mem0_client_adds_finds_changes_and_deletes() {
    check(
        r#"
        > add {"messages": "I drink my tea black", "user_id": "alice", "infer": false, "metadata": {"topic": "tea"}}
        {
         "results": [
          {
           "id": "fact_1",
           "memory": "I drink my tea black",
           "event": "ADD",
           "state": "active"
          }
         ],
         "message": "Kept as written.",
         "status": "SUCCEEDED"
        }
        > add {"messages": "I drink my tea black", "user_id": "alice", "infer": false}
        {
         "results": [
          {
           "id": "fact_1",
           "memory": "I drink my tea black",
           "event": "NONE",
           "state": "active"
          }
         ],
         "message": "Kept as written.",
         "status": "SUCCEEDED"
        }
        > get {"memory_id": "fact_1"}
        {
         "id": "fact_1",
         "memory": "I drink my tea black",
         "user_id": "alice",
         "agent_id": null,
         "app_id": null,
         "run_id": null,
         "hash": "1ea612f3a237fe54c4fbedc538e4e67a",
         "metadata": {
          "topic": "tea"
         },
         "categories": null,
         "created_at": "TIME",
         "updated_at": "TIME",
         "expiration_date": null
        }
        > search {"query": "how does she take her tea", "filters": {"user_id": "alice"}}
        {
         "results": [
          {
           "agent_id": null,
           "app_id": null,
           "categories": null,
           "created_at": "TIME",
           "expiration_date": null,
           "hash": "1ea612f3a237fe54c4fbedc538e4e67a",
           "id": "fact_1",
           "memory": "I drink my tea black",
           "metadata": {
            "topic": "tea"
           },
           "run_id": null,
           "score": N,
           "updated_at": "TIME",
           "user_id": "alice"
          }
         ]
        }
        > search {"query": "tea", "filters": {"user_id": "alice"}, "fields": ["memory"], "top_k": 1}
        {
         "results": [
          {
           "id": "fact_1",
           "memory": "I drink my tea black"
          }
         ]
        }
        > search {"query": "tea", "filters": {"user_id": "alice"}, "threshold": 1.0, "top_k": 1, "fields": ["memory"]}
        {
         "results": []
        }
        > update {"memory_id": "fact_1", "text": "I drink my tea green", "metadata": {"sure": true}}
        {
         "id": "fact_1",
         "memory": "I drink my tea green",
         "user_id": "alice",
         "agent_id": null,
         "app_id": null,
         "run_id": null,
         "hash": "422bcd96031973044a6296cde78bd5e5",
         "metadata": {
          "sure": true,
          "topic": "tea"
         },
         "categories": null,
         "created_at": "TIME",
         "updated_at": "TIME",
         "expiration_date": null
        }
        > history {"memory_id": "fact_1"}
        [
         {
          "id": "fact_1.1",
          "memory_id": "fact_1",
          "input": [],
          "old_memory": null,
          "new_memory": "I drink my tea black",
          "user_id": "alice",
          "event": "ADD",
          "metadata": {
           "topic": "tea"
          },
          "categories": null,
          "created_at": "TIME",
          "updated_at": "TIME"
         },
         {
          "id": "fact_1.2",
          "memory_id": "fact_1",
          "input": [],
          "old_memory": "I drink my tea black",
          "new_memory": "I drink my tea green",
          "user_id": "alice",
          "event": "UPDATE",
          "metadata": {
           "sure": true,
           "topic": "tea"
          },
          "categories": null,
          "created_at": "TIME",
          "updated_at": "TIME"
         }
        ]
        > delete {"memory_id": "fact_1"}
        {
         "message": "Memory deleted successfully!"
        }
        > get {"memory_id": "fact_1"}
        MemoryNotFoundError: no memory "fact_1"
        > history {"memory_id": "fact_1"}
        MemoryNotFoundError: no memory "fact_1"
        "#,
    );
}

#[test]
fn mem0_client_keeps_conversations_and_is_told_that_nothing_was_extracted() {
    check(
        r#"
        > add {"messages": [{"role": "user", "content": "I moved to Austin"}, {"role": "assistant", "content": "Austin is warm"}], "user_id": "alice", "run_id": "r1", "agent_id": "guide", "app_id": "shop"}
        {
         "results": [
          {
           "id": "ep_1",
           "memory": "I moved to Austin",
           "event": "ADD",
           "state": "active"
          },
          {
           "id": "ep_2",
           "memory": "Austin is warm",
           "event": "ADD",
           "state": "active"
          }
         ],
         "message": "Kept as it was said: nothing was extracted, as there is no language model; infer=False keeps what a user says as facts.",
         "status": "SUCCEEDED"
        }
        > add {"messages": "My key is AKIAIOSFODNN7EXAMPLE", "user_id": "alice", "infer": false, "expiration_date": "2999-12-31"}
        {
         "results": [
          {
           "id": "fact_3",
           "memory": "My key is [SECRET_REDACTED]",
           "event": "ADD",
           "state": "active"
          }
         ],
         "message": "Kept as written. Secrets were taken out.",
         "status": "SUCCEEDED"
        }
        > get_all {"filters": {"user_id": "alice", "run_id": "r1"}}
        {
         "count": 2,
         "next": null,
         "previous": null,
         "results": [
          {
           "agent_id": "guide",
           "app_id": "shop",
           "categories": null,
           "created_at": "TIME",
           "expiration_date": "DAY",
           "hash": "84ba4af110d7780a982071d2ce76fdec",
           "id": "ep_2",
           "memory": "Austin is warm",
           "metadata": null,
           "run_id": "r1",
           "updated_at": "TIME",
           "user_id": "alice"
          },
          {
           "agent_id": "guide",
           "app_id": "shop",
           "categories": null,
           "created_at": "TIME",
           "expiration_date": "DAY",
           "hash": "e011f51138a612946815b414a4205f71",
           "id": "ep_1",
           "memory": "I moved to Austin",
           "metadata": null,
           "run_id": "r1",
           "updated_at": "TIME",
           "user_id": "alice"
          }
         ]
        }
        > get_all {"filters": {"user_id": "alice"}}
        {
         "count": 1,
         "next": null,
         "previous": null,
         "results": [
          {
           "agent_id": null,
           "app_id": null,
           "categories": null,
           "created_at": "TIME",
           "expiration_date": "DAY",
           "hash": "9f470916c7ef907da940459c29150ecb",
           "id": "fact_3",
           "memory": "My key is [SECRET_REDACTED]",
           "metadata": null,
           "run_id": null,
           "updated_at": "TIME",
           "user_id": "alice"
          }
         ]
        }
        > users {}
        {
         "count": 2,
         "next": null,
         "previous": null,
         "results": [
          {
           "id": "alice",
           "name": "alice",
           "type": "user",
           "total_memories": 3,
           "updated_at": "TIME"
          },
          {
           "id": "r1",
           "name": "r1",
           "type": "run",
           "total_memories": 2,
           "updated_at": "TIME"
          }
         ]
        }
        "#,
    );
}

#[test]
fn mem0_client_filters_and_turns_pages() {
    check(
        r#"
        > add {"messages": "The ferry sails at nine", "user_id": "alice", "infer": false, "metadata": {"size": 3}}
        {
         "results": [
          {
           "id": "fact_1",
           "memory": "The ferry sails at nine",
           "event": "ADD",
           "state": "active"
          }
         ],
         "message": "Kept as written.",
         "status": "SUCCEEDED"
        }
        > add {"messages": "The ferry is blue", "user_id": "alice", "infer": false, "metadata": {"size": 5}}
        {
         "results": [
          {
           "id": "fact_2",
           "memory": "The ferry is blue",
           "event": "ADD",
           "state": "active"
          }
         ],
         "message": "Kept as written.",
         "status": "SUCCEEDED"
        }
        > add {"messages": "The ferry is late", "user_id": "alice", "infer": false, "run_id": "r1"}
        {
         "results": [
          {
           "id": "fact_3",
           "memory": "The ferry is late",
           "event": "ADD",
           "state": "active"
          }
         ],
         "message": "Kept as written.",
         "status": "SUCCEEDED"
        }
        > get_all {"filters": {"user_id": "alice"}, "page": 1, "page_size": 1, "fields": ["memory"]}
        {
         "count": 2,
         "next": "/v3/memories/?page=2&page_size=1",
         "previous": null,
         "results": [
          {
           "id": "fact_2",
           "memory": "The ferry is blue"
          }
         ]
        }
        > get_all {"filters": {"user_id": "alice"}, "page": 2, "page_size": 1, "fields": ["memory"]}
        {
         "count": 2,
         "next": null,
         "previous": "/v3/memories/?page=1&page_size=1",
         "results": [
          {
           "id": "fact_1",
           "memory": "The ferry sails at nine"
          }
         ]
        }
        > get_all {"filters": {"AND": [{"user_id": "alice"}, {"run_id": "*"}]}, "fields": ["memory"]}
        {
         "count": 1,
         "next": null,
         "previous": null,
         "results": [
          {
           "id": "fact_3",
           "memory": "The ferry is late"
          }
         ]
        }
        > search {"query": "ferry", "filters": {"AND": [{"user_id": "alice"}, {"metadata": {"size": {"gte": 4}}}]}, "fields": ["memory"]}
        {
         "results": [
          {
           "id": "fact_2",
           "memory": "The ferry is blue"
          }
         ]
        }
        > search {"query": "ferry", "filters": {"OR": [{"run_id": "r1"}, {"NOT": {"keywords": {"icontains": "BLUE"}}}]}, "fields": ["memory"]}
        {
         "results": [
          {
           "id": "fact_1",
           "memory": "The ferry sails at nine"
          },
          {
           "id": "fact_3",
           "memory": "The ferry is late"
          }
         ]
        }
        > search {"query": "ferry", "filters": {"created_at": {"lt": "2020-01-01"}}}
        {
         "results": []
        }
        > get_all {"filters": {"user_id": "alice"}, "start_date": "2020-01-01", "end_date": "2020-12-31"}
        {
         "count": 0,
         "next": null,
         "previous": null,
         "results": []
        }
        > get_all {"filters": {"created_at": {"near": "2026-01-01"}}}
        ValidationError: unknown operator "near" in a filter; known: eq, ne, in, gt, gte, lt, lte, contains, icontains, and "*"
        > get_all {"filters": {"colour": "red"}}
        ValidationError: unknown field "colour" in a filter; known: user_id, agent_id, app_id, run_id, created_at, updated_at, timestamp, categories, keywords, memory_ids and metadata, which takes fields of your own
        > get_all {"page": 0}
        ValidationError: pages count from 1, and page_size goes from 1 to 1000
        > get_all {"page_size": 100000}
        ValidationError: pages count from 1, and page_size goes from 1 to 1000
        > search {"query": "ferry", "colour": "red"}
        ValidationError: unknown parameter "colour"
        "#,
    );
}

#[test]
fn mem0_client_deletes_what_it_names() {
    check(
        r#"
        > add {"messages": "tea", "user_id": "alice", "infer": false}
        {
         "results": [
          {
           "id": "fact_1",
           "memory": "tea",
           "event": "ADD",
           "state": "active"
          }
         ],
         "message": "Kept as written.",
         "status": "SUCCEEDED"
        }
        > add {"messages": "hat", "user_id": "alice", "infer": false}
        {
         "results": [
          {
           "id": "fact_2",
           "memory": "hat",
           "event": "ADD",
           "state": "active"
          }
         ],
         "message": "Kept as written.",
         "status": "SUCCEEDED"
        }
        > add {"messages": "bag", "user_id": "alice", "infer": false, "run_id": "r1"}
        {
         "results": [
          {
           "id": "fact_3",
           "memory": "bag",
           "event": "ADD",
           "state": "active"
          }
         ],
         "message": "Kept as written.",
         "status": "SUCCEEDED"
        }
        > batch_update {"memories": [{"memory_id": "fact_1", "text": "black tea"}, {"memory_id": "fact_2", "text": "red hat"}]}
        {
         "message": "Successfully updated 2 memories"
        }
        > batch_delete {"memories": [{"memory_id": "fact_2"}]}
        {
         "message": "Successfully deleted 1 memories"
        }
        > batch_delete {"memories": [{"memory_id": "fact_2"}]}
        MemoryNotFoundError: no memory "fact_2"
        > delete_all {"user_id": "alice", "run_id": "r1"}
        {
         "message": "Memories deleted successfully!"
        }
        > get_all {"filters": {"user_id": "alice"}, "fields": ["memory"]}
        {
         "count": 1,
         "next": null,
         "previous": null,
         "results": [
          {
           "id": "fact_1",
           "memory": "black tea"
          }
         ]
        }
        > delete_all {}
        ValidationError: say whose memories are to be deleted: user_id, agent_id, app_id or run_id
        > delete_all {"filters": {"user_id": "alice"}}
        ValidationError: unknown parameter "filters"
        > delete_users {"user_id": "alice"}
        {
         "message": "Entity deleted successfully."
        }
        > get_all {"filters": {"user_id": "alice"}}
        {
         "count": 0,
         "next": null,
         "previous": null,
         "results": []
        }
        > add {"messages": "tea", "agent_id": "guide", "infer": false}
        {
         "results": [
          {
           "id": "fact_4",
           "memory": "tea",
           "event": "ADD",
           "state": "active"
          }
         ],
         "message": "Kept as written.",
         "status": "SUCCEEDED"
        }
        > reset {}
        {
         "message": "Client reset successful. All users and memories deleted."
        }
        > users {}
        {
         "count": 0,
         "next": null,
         "previous": null,
         "results": []
        }
        "#,
    );
}

#[test]
fn mem0_client_reads_what_was_wrong() {
    check(
        r#"
        > add {"messages": "tea", "user_id": "bob"}
        AuthenticationError: this caller may not open the user "bob"
        > search {"query": "tea", "filters": {"user_id": "bob"}}
        AuthenticationError: this caller may not open the user "bob"
        > get_all {"filters": {"user_id": {"in": ["alice", "bob"]}}}
        AuthenticationError: this caller may not open the user "bob"
        > delete_all {"user_id": "bob"}
        AuthenticationError: this caller may not open the user "bob"
        > get {"memory_id": "fact_00000000000000000000000000000000"}
        MemoryNotFoundError: no memory "fact_00000000000000000000000000000000"
        > get {"memory_id": "../ping"}
        MemoryNotFoundError: no memory "../ping"
        > update {"memory_id": "fact_00000000000000000000000000000000", "text": "tea"}
        MemoryNotFoundError: no memory "fact_00000000000000000000000000000000"
        > delete {"memory_id": "fact_00000000000000000000000000000000"}
        MemoryNotFoundError: no memory "fact_00000000000000000000000000000000"
        > add {"messages": [{"role": "user", "content": {"type": "image_url"}}], "user_id": "alice"}
        ValidationError: only text is kept: the content of a message is a text, or parts of type text
        > add {"messages": [{"role": "system", "content": "Be kind"}], "user_id": "alice"}
        ValidationError: there is no message of a user or an assistant to keep
        > add {"messages": "tea", "user_id": "alice", "volume": 11}
        ValidationError: unknown parameter "volume"
        > add {"messages": "tea", "run_id": "*"}
        ValidationError: run_id: "*" stands for any name and is none
        > get_all {"show_expired": true}
        ValidationError: what has ended is not shown: show_expired can only be false
        > feedback {"memory_id": "fact_00000000000000000000000000000000", "feedback": "POSITIVE"}
        MemoryNotFoundError: nothing is served at this path; /docs and /openapi.json say what is
        "#,
    );
}

#[test]
fn mem0_client_finds_nobody_unless_the_switch_is_on() {
    let Some(python) = programs::python() else { return };
    let machine = Machine::new();
    let served = Served::start(&machine, &[]);
    let client = Client::start(&machine, &python, "mem0_client.py", &["sync", &served.address]);
    client.transcript(
        r"
        > users {}
        ValueError: Error: nothing is served at this path; /docs and /openapi.json say what is
        ",
    );
}

#[test]
fn mem0_client_with_a_key_that_nobody_gave_out_is_refused() {
    let Some(python) = programs::python() else { return };
    let machine = Machine::new();
    let served = Served::start(&machine, &["--mem0"]);
    for manner in ["sync", "async"] {
        let arguments = [manner, &served.address, "m0-none"];
        let mut client = Client::start(&machine, &python, "mem0_client.py", &arguments);
        let seen = client.step("users {}");
        assert!(seen.starts_with("ValueError: Error: ") && seen.contains("key"), "{manner} {seen}");
    }
}
