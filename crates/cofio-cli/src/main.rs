//! The command `cofio`: settings, wiring and one file per command.

mod arguments;
mod commands;

mod app;
mod client;
mod consent;
mod digest;
mod door;
mod embedder;
mod failure;
mod filters;
mod home;
mod hook;
mod input;
mod install;
mod llm;
mod mirrors;
mod output;
mod present;
mod progress;
mod query;
mod recognisers;
mod store_files;
mod timetable;
mod when;

mod project;
mod settings;

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::Parser as _;

use arguments::Arguments;
use output::Form;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() && is_hook() => {
            // An agent takes other codes for orders; whoever types this wants to know.
            if io::stderr().is_terminal() {
                failure::misuse(error, Form::Text);
            }
            return ExitCode::SUCCESS;
        }
        Err(error) => return failure::misuse(error, form_without_parsing()),
    };
    let form = arguments.globals.form();
    match commands::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error, form),
    }
}

/// Returns whether a command line that cannot be read as a whole is that of a hook.
fn is_hook() -> bool {
    std::env::args_os().nth(1).is_some_and(|command| command == "hook")
}

/// Returns the form that was asked for on a command line that cannot be read as a whole.
fn form_without_parsing() -> Form {
    let json = std::env::args_os().any(|argument| argument == "--json");
    if json { Form::Json } else { Form::Text }
}
