//! Where the programs are that others wrote and `cargo xtask test` made ready.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A folder of programs: the variable that says where it is, and its name below `target/`.
struct Folder(&'static str, &'static str);

const NPM: Folder = Folder("COFIO_TEST_NPM_DIR", "npm/node_modules/.bin");
const PYTHON: Folder = Folder("COFIO_TEST_PYTHON_DIR", "python/bin");

/// Returns a program that npm installed, or says why the test that needs it is skipped.
pub fn from_npm(name: &str) -> Option<PathBuf> {
    NPM.program(name)
}

/// Returns a Python that has the client, or says why the test that needs it is skipped.
pub fn python() -> Option<PathBuf> {
    PYTHON.program("python")
}

/// Returns a search path with the command itself and the programs from npm before all others.
pub fn search_path() -> OsString {
    let command = Path::new(env!("CARGO_BIN_EXE_cofio")).parent().unwrap().to_owned();
    let others = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
    env::join_paths([command, NPM.path()].into_iter().chain(others)).unwrap()
}

impl Folder {
    fn path(&self) -> PathBuf {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
        env::var_os(self.0).map_or_else(|| target.join(self.1), PathBuf::from)
    }

    /// Looks for a program, which must be there if the variable is set.
    fn program(&self, name: &str) -> Option<PathBuf> {
        let program = self.path().join(name);
        if program.exists() {
            return Some(program);
        }
        let missing = program.display();
        assert!(env::var_os(self.0).is_none(), "{} is set, and {missing} is not there", self.0);
        eprintln!("skipped: {missing} is not there; `cargo xtask test` makes it ready");
        None
    }
}
