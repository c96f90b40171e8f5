//! A machine that somebody works on with an agent, and a model of ours that the agent talks to.

use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::model::{Model, Scene};
use crate::machine::{Machine, complaint};
use crate::programs;

pub struct Workplace {
    pub machine: Machine,
    pub model: Model,
}

impl Workplace {
    /// Sets up a machine on which nothing was ever done, if the agent is to be had.
    pub fn with(agent: &str, scenes: Vec<Scene>) -> Option<Self> {
        programs::from_npm(agent)?;
        let workplace = Self { machine: Machine::new(), model: Model::start(scenes) };
        fs::create_dir(workplace.machine.home("")).unwrap();
        Some(workplace)
    }

    /// Runs what somebody types into a shell.
    pub fn run(&self, typed: &str) -> Output {
        let mut shell = Command::new("sh");
        shell.args(["-c", typed]).stdin(Stdio::null()).current_dir(self.machine.path(""));
        shell.env_clear().env("HOME", self.machine.home("")).env("USER", "alice");
        shell.env("PATH", programs::search_path());
        // Claude Code talks to our model and to nobody else, and waits for its tools.
        let model = format!("http://127.0.0.1:{}", self.model.port);
        shell.env("ANTHROPIC_BASE_URL", model).env("ANTHROPIC_API_KEY", "none");
        shell.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        shell.env("ENABLE_TOOL_SEARCH", "false").env("MCP_CONNECTION_NONBLOCKING", "false");
        shell.output().unwrap()
    }

    /// Runs what must succeed, and returns what it printed.
    pub fn done(&self, typed: &str) -> String {
        let output = self.run(typed);
        let (text, code) = complaint(&output);
        assert_eq!(code, 0, "{typed}: {text}\n{}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns everything that is kept.
    pub fn kept(&self) -> Vec<Value> {
        let listed = self.done("cofio list --limit 100 --json");
        let listed: Value = serde_json::from_str(&listed).unwrap();
        listed["memories"].as_array().unwrap().clone()
    }
}
