//! Runs cargo in the root of the workspace, showing each command before it starts.

use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use crate::{Result, terminal};

/// The output of a command that is read along the way.
#[derive(Debug, Clone, Copy)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// Prepares the cargo that runs this program, with `arguments`.
pub fn cargo(arguments: &[&str]) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is below the root");
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(arguments);
    command
}

/// Runs `command` to its end; any status but success is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = announce(command);
    let status = command.status().map_err(|error| cannot_start(&shown, &error))?;
    success(&shown, status)
}

/// Runs `command` like [`run`], and hands each line of one of its streams to `watch` as well.
pub fn run_watching(
    command: &mut Command,
    stream: Stream,
    mut watch: impl FnMut(&str),
) -> Result<()> {
    let shown = announce(command);

    // Cargo sees a pipe where the terminal was and would drop its colours.
    if terminal::is_colourful() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    match stream {
        Stream::Stdout => command.stdout(Stdio::piped()),
        Stream::Stderr => command.stderr(Stdio::piped()),
    };

    let mut child = command.spawn().map_err(|error| cannot_start(&shown, &error))?;
    let copied = match stream {
        Stream::Stdout => copy_lines(child.stdout.take(), &mut io::stdout(), &mut watch),
        Stream::Stderr => copy_lines(child.stderr.take(), &mut io::stderr(), &mut watch),
    };
    let status =
        copied.and(child.wait()).map_err(|error| format!("cannot follow `{shown}`: {error}"))?;
    success(&shown, status)
}

fn copy_lines(
    source: Option<impl Read>,
    target: &mut impl Write,
    watch: &mut impl FnMut(&str),
) -> io::Result<()> {
    let mut source = BufReader::new(source.expect("the stream was piped"));
    let mut line = Vec::new();
    while source.read_until(b'\n', &mut line)? > 0 {
        target.write_all(&line)?;
        watch(&String::from_utf8_lossy(&line));
        line.clear();
    }
    target.flush()
}

/// Shows `command` the way one would type it, and returns that text.
fn announce(command: &Command) -> String {
    let settings = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={:?} ", name.to_string_lossy(), value?.to_string_lossy()))
    });
    let arguments = command.get_args().map(|argument| format!(" {}", argument.to_string_lossy()));
    let shown = format!("{}cargo{}", settings.collect::<String>(), arguments.collect::<String>());
    terminal::note(&format!("$ {shown}"));
    shown
}

fn cannot_start(shown: &str, error: &io::Error) -> String {
    format!("cannot start `{shown}`: {error}")
}

fn success(shown: &str, status: ExitStatus) -> Result<()> {
    if status.success() { Ok(()) } else { Err(format!("`{shown}` ended with {status}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_the_way_one_would_type_it() {
        let mut command = cargo(&["doc", "--no-deps"]);
        command.env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(announce(&command), r#"RUSTDOCFLAGS="-D warnings" cargo doc --no-deps"#);
    }

    #[test]
    fn watched_lines_are_passed_on_unchanged() {
        let source = b"one\n\xff two\r\nno newline at the end".as_slice();
        let mut target = Vec::new();
        let mut seen = 0;
        copy_lines(Some(source), &mut target, &mut |_| seen += 1).unwrap();
        assert_eq!(target, source);
        assert_eq!(seen, 3);
    }

    #[test]
    fn a_failing_command_is_named_in_the_error() {
        let error = run(&mut cargo(&["no-such-command"])).unwrap_err();
        assert!(error.starts_with("`cargo no-such-command` ended with "), "{error}");
    }
}
