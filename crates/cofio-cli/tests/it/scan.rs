//! Finding secrets in files, in lines of JSON and in what is remembered.

use crate::machine::Machine;

#[test]
fn secrets_in_files_are_found_and_not_shown() {
    let machine = Machine::new();
    machine.write("notes/a.txt", "one\nuse AKIAIOSFODNN7EXAMPLE there\n");
    machine.write("notes/b.txt", "nothing to see\n");
    machine.transcript(
        "
        $ cofio scan notes
        notes/a.txt:2: aws-key (definite) in text, 8 to 28
        ! 1 finding in 2 texts
        [4]
        $ cofio scan notes/b.txt
        ! 0 findings in 1 text
        $ cofio scan -
        < grüße AKIAIOSFODNN7EXAMPLE
        -:1: aws-key (definite) in text, 6 to 26
        ! 1 finding in 1 text
        [4]
        $ cofio scan
        ! error: say what to scan: files, - for standard input, --jsonl or --memories
        [2]
        $ cofio scan nowhere
        ! error: cannot read nowhere: No such file or directory (os error 2)
        [1]
        ",
    );
}

#[test]
fn lines_of_json_are_answered_line_by_line() {
    Machine::new().transcript(
        r#"
        $ cofio scan --jsonl
        < {"text": "use AKIAIOSFODNN7EXAMPLE there", "id": 7}
        < {"text": "nothing", "note": {"deep": ["AKIAIOSFODNN7EXAMPLE"]}}
        < {"text": "nothing at all"}
        {"redacted":"use [SECRET_REDACTED] there","findings":[{"class":"aws-key","level":"definite","field":"text","start":4,"end":24}]}
        {"redacted":"nothing","findings":[{"class":"aws-key","level":"definite","field":"note.deep","start":0,"end":20}]}
        {"redacted":"nothing at all","findings":[]}
        [4]
        $ cofio scan --jsonl
        < {"text": "nothing at all"}
        {"redacted":"nothing at all","findings":[]}
        $ cofio scan --jsonl
        < {"words": 1}
        ! error: line 1: it has to be an object with a text, such as {"text": "…"}
        [2]
        "#,
    );
}

#[test]
fn what_is_remembered_is_scanned_too() {
    Machine::new().transcript(
        "
        $ cofio remember the key is AKIAIOSFODNN7EXAMPLE
        remembered fact_1 in user:alice
        took out a secret: aws-key (definite)
        $ cofio scan --memories
        ! 0 findings in 1 text
        ",
    );
}

#[test]
fn what_may_be_a_secret_is_kept_only_if_somebody_says_so() {
    Machine::new().transcript(
        "
        $ cofio remember the thing is q7q7q7q7q7q7q7q7Zk3vB9xWm2Zk3vB9xWm2Zk3vB9xWm2Zk3vB9xWm2Zk3vB9xWm2
        ! error: there may be a secret in it (unknown-token in content): add --allow-possible to keep it
        [4]
        $ cofio remember the thing is q7q7q7q7q7q7q7q7Zk3vB9xWm2Zk3vB9xWm2Zk3vB9xWm2Zk3vB9xWm2Zk3vB9xWm2 --allow-possible
        remembered fact_1 in user:alice
        ",
    );
}
