//! Whatever the documentation of the API allows, and whatever it does not, is answered as it says.
//!
//! `cargo xtask soak http` does the same for longer.

use std::process::Command;

use serde_json::Value;

use super::served::Served;
use crate::machine::Machine;
use crate::programs;

/// How many requests are made up for each endpoint, unless `COFIO_HTTP_SOAK` says otherwise.
const EXAMPLES: &str = "8";

/// What an answer has to be.
///
/// Left out is that whatever has the right form is accepted, as a policy may refuse it.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance,\
                      negative_data_rejection,unsupported_method,use_after_free,ignored_auth";

#[test]
fn a_tenant_gets_no_answer_that_is_not_documented() {
    check(
        "cofio key create alice --user alice --project cofio --right read --right write --right delete",
        ".*",
    );
}

#[test]
fn an_administrator_gets_none_either() {
    check("cofio key create admin --admin", "^/(v1/(keys|audit|stats|jobs)|metrics)");
}

/// Makes up requests for all endpoints whose path fits, with a key.
fn check(create_key: &str, paths: &str) {
    let Some(python) = programs::python() else { return };
    let machine = Machine::new();
    let made = machine.run(&format!("{} --json", create_key.trim_start_matches("cofio ")));
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    let served = Served::start(&machine, &[]);
    let examples = std::env::var("COFIO_HTTP_SOAK").ok();
    let mut command: Command = machine.program(&python);
    command.args(["-m", "schemathesis.cli", "run"]).arg(format!("{}/openapi.json", served.address));
    command.arg("--header");
    command.arg(format!("Authorization: Bearer {}", made["token"].as_str().unwrap()));
    command.args(["--max-examples", examples.as_deref().unwrap_or(EXAMPLES)]);
    command.args(["--checks", CHECKS, "--phases", "examples,coverage,fuzzing"]);
    // A stream does not end, and what is imported is no JSON.
    command.args(["--exclude-path-regex", "(stream|import)$", "--include-path-regex", paths]);
    command.args(["--seed", "7", "--warnings", "off", "--suppress-health-check", "all"]);
    command.args(["--request-timeout", "30", "--no-color"]);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    println!("{told}");
}
