//! Where a server is asked.

use cofio::{Error, ErrorKind, Result};
use ureq::http::Uri;

/// What an address of those who speak OpenAI's dialect looks like.
#[cfg(any(feature = "openai", feature = "llm"))]
pub const OPENAI: &str = "https://api.openai.com/v1";

/// Checks a server's address, and returns where something is asked for.
pub fn of(url: &str, path: &str, noun: &str, example: &str) -> Result<Uri> {
    let unfit = |why: &str| {
        let message = format!(
            "cannot use the address of the server for {noun}: {why}; \
             an example is {example}"
        );
        Error::new(ErrorKind::Configuration, message)
    };
    let address = format!("{}/{path}", url.trim().trim_end_matches('/'));
    let address: Uri = address.parse().map_err(|_| unfit("it is not a URL"))?;
    if !matches!(address.scheme_str(), Some("http" | "https")) {
        return Err(unfit("it starts with neither https:// nor http://"));
    }
    if address.host().is_none_or(str::is_empty) {
        return Err(unfit("it names no host"));
    }
    // A password with a / in it would be taken for a port and a path, and shown with them.
    if url.contains('@') {
        return Err(unfit("a user or password does not belong there"));
    }
    if address.query().is_some() || url.contains('#') {
        return Err(unfit("it has to end before any ? or #"));
    }
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, expected: std::result::Result<&str, &str>) {
        let found = of(url, "embeddings", "embeddings", "").map(|address| address.to_string());
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(error), Err(expected)) => {
                assert_eq!(error.kind(), ErrorKind::Configuration);
                assert!(error.to_string().contains(expected), "{error}");
                assert!(!error.to_string().contains("secret"), "{error}");
            }
            (found, expected) => panic!("{url}: {found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn an_address_ends_at_the_version() {
        check("https://api.openai.com/v1", Ok("https://api.openai.com/v1/embeddings"));
        check(" http://127.0.0.1:11434/v1/ ", Ok("http://127.0.0.1:11434/v1/embeddings"));
        check("http://[::1]:80", Ok("http://[::1]:80/embeddings"));
        check("api.openai.com/v1", Err("it"));
        check("ftp://host/v1", Err("neither"));
        check("https://", Err("it"));
        check("https://me:secret@host/v1", Err("password"));
        check("https://me:12/secret@host/v1", Err("password"));
        check("https://me:12/v1?secret@host", Err("password"));
        check("https://host/v1?key=secret", Err("before any ?"));
        check("https://host/v1#secret", Err("before any ?"));
        check("", Err("it"));
    }
}
