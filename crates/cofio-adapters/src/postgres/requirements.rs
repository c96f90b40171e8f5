//! What a server has to be, so that a store can be in it.

use cofio::{Error, ErrorKind, Result};

/// The oldest PostgreSQL: since then it says whether a role may become another.
const SERVER: &[u32] = &[16];

/// The oldest pgvector: since then an index is read on until enough was found that a filter lets by.
const VECTOR: &[u32] = &[0, 8];

/// Refuses a server that is too old, by what it says of its version.
pub(super) fn check_server(version: &str) -> Result<()> {
    if *numbers(version) >= *SERVER {
        return Ok(());
    }
    let message =
        format!("the server is PostgreSQL {version}, and Cofio needs {} or later", written(SERVER));
    Err(Error::new(ErrorKind::Configuration, message))
}

/// Refuses a pgvector that is too old, be it that of a database or one that could be.
pub(super) fn check_vector(version: &str) -> Result<()> {
    if *numbers(version) >= *VECTOR {
        return Ok(());
    }
    let message = format!(
        "the extension vector (pgvector) has version {version} here, and Cofio needs {} or later: \
         install it on the server, and run ALTER EXTENSION vector UPDATE as an administrator",
        written(VECTOR)
    );
    Err(Error::new(ErrorKind::Configuration, message))
}

/// Returns the numbers that a version begins with, such as 16 and 4 of `16.4 (Debian 16.4-1)`.
fn numbers(version: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    for part in version.split('.') {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let Ok(number) = part[..end].parse() else { break };
        numbers.push(number);
        if end < part.len() {
            break;
        }
    }
    numbers
}

fn written(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_server_is_refused_and_told_what_is_needed() {
        let said = |version| check_server(version).map_err(|error| error.to_string());
        for version in
            ["16.0", "16.4 (Debian 16.4-1.pgdg120+1)", "17beta1", "18devel", "18.6", "100"]
        {
            assert_eq!(said(version), Ok(()), "{version}");
        }
        assert_eq!(
            said("15.14 (Debian 15.14-0+deb12u1)").unwrap_err(),
            "the server is PostgreSQL 15.14 (Debian 15.14-0+deb12u1), and Cofio needs 16 or later"
        );
        for version in ["9.6.24", "1.6", "15.99", "15", "", "unknown"] {
            assert!(said(version).is_err(), "{version}");
        }
    }

    #[test]
    fn an_old_pgvector_is_refused_and_told_what_is_needed() {
        let said = |version| check_vector(version).map_err(|error| error.to_string());
        for version in ["0.8", "0.8.0", "0.8.6", "0.10.0", "1.0", "1"] {
            assert_eq!(said(version), Ok(()), "{version}");
        }
        assert_eq!(
            said("0.7.4").unwrap_err(),
            "the extension vector (pgvector) has version 0.7.4 here, and Cofio needs 0.8 or later: \
             install it on the server, and run ALTER EXTENSION vector UPDATE as an administrator"
        );
        for version in ["0.7", "0.7.99", "0", ""] {
            assert!(said(version).is_err(), "{version}");
        }
    }
}
