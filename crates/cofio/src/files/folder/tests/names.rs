use super::*;

#[test]
fn a_path_is_made_of_names_that_every_system_can_have() {
    for good in [
        "a.md",
        "world/people.md",
        "agents/a b/daily/2026-01-31.md",
        "été.md",
        "console.md",
        "com10.md",
    ] {
        assert_eq!(Relative::new(good).unwrap().as_str(), good);
    }
    for bad in [
        "",
        "/a.md",
        "a//b.md",
        "a/",
        ".",
        "..",
        "../a.md",
        "a/../b.md",
        ".git/config",
        ".hidden.md",
        "a\\b.md",
        "C:a.md",
        "a\0.md",
        "a\n.md",
        "a.",
        "a ",
        " a",
        "a/b./c.md",
        "con",
        "NUL.md",
        "aux.x.md",
        "com1",
        "LPT9.md",
        "com¹.md",
        "conin$",
        "a?.md",
        "a\u{202e}b.md",
        "\u{feff}.md",
    ] {
        assert_eq!(failure(Relative::new(bad)).0, ErrorKind::Invalid, "{bad:?}");
    }
    assert!(Relative::new(&"x".repeat(201)).is_err());
    assert!(Relative::new(&"x/".repeat(16)).is_err());
}

#[test]
fn a_name_that_is_another_one_elsewhere_is_refused() {
    let (_place, folder) = folder();
    folder.append(&path("people/Ann.md"), "", "- a\n").unwrap();
    folder.append(&path("caf\u{e9}.md"), "", "- a\n").unwrap();
    for other in ["people/ann.md", "People/other.md", "cafe\u{301}.md", "CAF\u{c9}.md"] {
        assert_eq!(
            failure(folder.append(&path(other), "", "- b\n")).0,
            ErrorKind::Refused,
            "{other}"
        );
        assert_eq!(
            failure(folder.replace(&path(other), "- b\n", None)).0,
            ErrorKind::Refused,
            "{other}"
        );
    }
    folder.append(&path("people/Ann.md"), "", "- b\n").unwrap();
    assert_eq!(text(&folder, "people/Ann.md"), "- a\n- b\n");
}
