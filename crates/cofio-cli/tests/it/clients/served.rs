//! The server over HTTP, for as long as a test needs it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use crate::machine::Machine;

pub struct Served {
    pub address: String,
    process: Child,
}

impl Served {
    /// Starts it with options beside the address.
    pub fn start(machine: &Machine, options: &[&str]) -> Self {
        let mut command = machine.command();
        command.args(["serve", "--addr", "127.0.0.1:0"]).args(options);
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let address = said.trim().strip_prefix("listening at ").expect("it says where");
        Self { address: address.to_owned(), process }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended on its own, which a test notices elsewhere.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
