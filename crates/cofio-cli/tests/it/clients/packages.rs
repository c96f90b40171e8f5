//! Our own clients, each with its own tests, against the server as it is served.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::served::Served;
use crate::machine::Machine;
use crate::programs;

/// A copy of a client's folder beside a server, so that nothing is written into the original.
struct Copied {
    machine: Machine,
    served: Served,
    folder: PathBuf,
}

impl Copied {
    fn of(name: &str) -> Self {
        let machine = Machine::new();
        let served = Served::start(&machine, &[]);
        let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients");
        let folder = machine.path(name);
        copy(&clients.join(name), &folder);
        Self { machine, served, folder }
    }

    /// Runs a program in the folder, which must find nothing wrong.
    fn check(&self, program: &Path, arguments: &[&str]) {
        let mut command: Command = self.machine.program(program);
        command.current_dir(&self.folder).args(arguments);
        command.env("COFIO_TEST_URL", &self.served.address);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program:?} {arguments:?}:\n{said}{complained}");
    }
}

/// Copies what is in a folder, except for what tools left there.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let name = entry.file_name().to_string_lossy().into_owned();
        if ["node_modules", "build", "dist", "__pycache__"].contains(&&*name)
            || name.ends_with("_cache")
        {
            continue;
        }
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn python_package_passes_its_own_tests() {
    let Some(python) = programs::python() else { return };
    let copied = Copied::of("python");
    copied.check(&python, &["-m", "ruff", "format", "--check", "."]);
    copied.check(&python, &["-m", "ruff", "check", "."]);
    copied.check(&python, &["-m", "mypy"]);
    copied.check(&python, &["-m", "pytest"]);
}

#[cfg(unix)]
#[test]
fn typescript_package_passes_its_own_tests() {
    let (Some(tsc), Some(node)) = (programs::from_npm("tsc"), programs::from_npm("node")) else {
        return;
    };
    let copied = Copied::of("typescript");
    let modules = tsc.parent().and_then(Path::parent).unwrap();
    std::os::unix::fs::symlink(modules, copied.folder.join("node_modules")).unwrap();
    copied.check(&tsc, &["--project", "tsconfig.build.json"]);
    copied.check(&tsc, &["--outDir", "build"]);
    copied.check(&node, &["--test", "build/test/*.test.js"]);
}
