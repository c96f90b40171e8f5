//! SQLite, which is no server: it is compiled in, from a package of its driver.

use std::fs;
use std::path::Path;

use crate::provision::run;

/// The package that has its source.
const PACKAGE: &str = "libsqlite3-sys";

/// Returns the version that the source says of itself.
pub fn version() -> String {
    compiled().unwrap_or_else(|| "?".to_owned())
}

fn compiled() -> Option<String> {
    // Of other machines' packages not all may be there.
    let host = run("rustc", ["--print", "host-tuple"]).ok()?;
    let only = ["--format-version=1", "--offline", "--filter-platform", &host];
    let graph = run("cargo", ["metadata"].into_iter().chain(only)).ok()?;
    let manifests =
        graph.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut folders = manifests.filter_map(|manifest| Path::new(manifest).parent());
    let is_it = |folder: &&Path| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(PACKAGE))
    };
    let header = fs::read_to_string(folders.find(is_it)?.join("sqlite3/sqlite3.h")).ok()?;
    said(&header)
}

/// Reads the version in a header of SQLite.
fn said(header: &str) -> Option<String> {
    let line = header.lines().find(|line| line.starts_with("#define SQLITE_VERSION "))?;
    Some(line.split('"').nth(1)?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_what_is_compiled_in_is_known() {
        let header = "#define SQLITE_VERSION_NUMBER 1\n#define SQLITE_VERSION        \"3.1.2\"\n";
        assert_eq!(said(header).as_deref(), Some("3.1.2"));
        assert!(version().starts_with("3."), "{}", version());
    }
}
