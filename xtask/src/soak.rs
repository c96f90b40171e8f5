//! Long runs of tests that have a short version in every run of the tests.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::cargo::{self, cargo};
use crate::{Result, provision};

/// Runs a long test by its name, with sizes such as `operations=100000` or `seed=7`.
pub fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["files", sizes @ ..] => files(sizes),
        ["http", sizes @ ..] => http(sizes),
        ["isolation", sizes @ ..] => isolation(sizes),
        ["jobs", sizes @ ..] => jobs(sizes),
        ["mcp", sizes @ ..] => mcp(sizes),
        [unknown, ..] => Err(format!(
            "there is no soak {unknown:?}; there are: files, http, isolation, jobs, mcp"
        )),
        [] => Err("say which soak: files, http, isolation, jobs or mcp".to_owned()),
    }
}

/// Lets eight processes and a person work on one store and one folder, and looks whether anything
/// is lost; with the assertions that only a debug build has.
fn files(sizes: &[&str]) -> Result<()> {
    let wanted = sizes_for("seconds=600,processes=8,cases=2000,kills=200", sizes, seed())?;
    let tests: [(&str, &[&str]); 2] =
        [("cofio-cli", &["files::crowd", "files::kills"]), ("cofio", &["hands::"])];
    for (package, tests) in tests {
        let mut command = cargo(&["test", "--package", package, "--test", "it", "--"]);
        command.args(tests).args(["--nocapture", "--test-threads", "1"]);
        cargo::run(command.env("COFIO_FILES_SOAK", &wanted))?;
    }
    Ok(())
}

/// Makes up requests from the documentation of the API, many for each endpoint.
fn http(sizes: &[&str]) -> Result<()> {
    let examples = match sizes {
        [] => "300",
        [size] => size.strip_prefix("examples=").ok_or("the size of it is examples=300")?,
        _ => return Err("it has one size, examples=300".to_owned()),
    };
    provision::everything()?;
    let mut command = cargo(&["test", "--package", "cofio-cli", "--test", "it"]);
    command.args(["--", "clients::schemathesis", "--nocapture", "--test-threads", "1"]);
    cargo::run(command.env("COFIO_HTTP_SOAK", examples).envs(provision::places()))
}

/// Lets fifty tenants work on one store, and searches every answer for what is not theirs.
fn isolation(sizes: &[&str]) -> Result<()> {
    let wanted = sizes_for("tenants=50,operations=20000", sizes, seed())?;
    let mut command = cargo(&["test", "--release", "--package", "cofio", "--test", "it"]);
    command.args(["--", "isolation::", "--nocapture"]).env("COFIO_ISOLATION", wanted);
    cargo::run(&mut command)
}

/// Kills the engine's own jobs again and again, and takes them back in random worlds.
fn jobs(sizes: &[&str]) -> Result<()> {
    let wanted = sizes_for("kills=200,cases=2000", sizes, seed())?;
    for (package, tests) in [("cofio-bench", "jobs::"), ("cofio", "nights::")] {
        let mut command = cargo(&["test", "--release", "--package", package, "--test", "it"]);
        command.args(["--", tests, "--nocapture"]).env("COFIO_JOBS", &wanted);
        cargo::run(&mut command)?;
    }
    Ok(())
}

/// Sends the server for agents whatever may come, and calls its tools until it would have grown.
fn mcp(sizes: &[&str]) -> Result<()> {
    let wanted = sizes_for("messages=100000,calls=10000,memories=100000", sizes, seed())?;
    let mut command = cargo(&["test", "--release", "--package", "cofio-cli", "--test", "it"]);
    command.args(["--", "mcp::fuzz", "mcp::process", "--nocapture", "--test-threads", "1"]);
    cargo::run(command.env("COFIO_MCP_SOAK", wanted))
}

/// Puts sizes behind those of a whole run; the last one of a name counts.
fn sizes_for(whole: &str, sizes: &[&str], seed: u64) -> Result<String> {
    let mut wanted = format!("{whole},seed={seed}");
    for size in sizes {
        let number = size.split_once('=').and_then(|(_, number)| number.parse::<u64>().ok());
        if number.is_none() {
            return Err(format!("a size has the form operations=100000, not {size:?}"));
        }
        wanted = format!("{wanted},{size}");
    }
    Ok(wanted)
}

/// Returns another number for every run; it is shown with the command.
fn seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_stand_behind_those_of_a_whole_run() {
        let whole = "tenants=50,operations=20000";
        let wanted = sizes_for(whole, &["seed=9", "operations=5"], 1);
        let expected = "tenants=50,operations=20000,seed=1,seed=9,operations=5";
        assert_eq!(wanted, Ok(expected.to_owned()));
        assert!(sizes_for(whole, &["--fast"], 1).is_err());
    }
}
