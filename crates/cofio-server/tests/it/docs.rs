//! The documentation for people.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::fixture::Fixture;
use crate::served::Served;

#[test]
fn a_browser_runs_what_the_page_brings_and_nothing_else() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let answer = served.ask("GET", "/docs", &Value::Null);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["content-type"], "text/html; charset=utf-8");
    let policy = &answer.headers["content-security-policy"];
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
    for (directive, tag) in [("script-src", "script"), ("style-src", "style")] {
        let (_, rest) = answer.body.split_once(&format!("<{tag}>")).unwrap();
        let (text, rest) = rest.split_once(&format!("</{tag}>")).unwrap();
        assert!(!rest.contains(&format!("<{tag}")), "there is one {tag}");
        let hash = STANDARD.encode(Sha256::digest(text.as_bytes()));
        assert!(policy.contains(&format!("{directive} 'sha256-{hash}'; ")), "{policy}");
    }
    for foreign in ["http:", "https:", "//cdn", "@import", " style=", " onclick=", "innerHTML"] {
        assert!(!answer.body.contains(foreign), "{foreign}");
    }
}

#[test]
fn the_root_leads_to_the_page() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let answer = served.request("GET", "/", &[("host", "memory.example")], "");
    assert_eq!((answer.status, answer.headers["location"].as_str()), (303, "docs"));
}
