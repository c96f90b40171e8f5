use super::*;

/// Checks why a file with some bytes cannot be read.
#[track_caller]
fn check(bytes: &[u8], kind: ErrorKind, message: &str) {
    let (place, mut folder) = folder();
    folder.limit = 100;
    fs::write(place.path().join("a.md"), bytes).unwrap();
    assert_eq!(failure(folder.read(&path("a.md"))), (kind, message.to_owned()));
}

#[test]
fn what_is_no_text_is_refused_with_the_place_of_the_byte() {
    check(b"ab\xffc", ErrorKind::Invalid, r#""a.md" is no text: byte 2 is no UTF-8"#);
    check(
        b"abc\0",
        ErrorKind::Invalid,
        r#""a.md" is no text: byte 3 is the sign of a binary file"#,
    );
    check(&[b'a'; 101], ErrorKind::ContentTooLong, r#""a.md" has more than 100 bytes"#);
}

#[test]
fn what_is_not_there_is_nothing() {
    let (_place, folder) = folder();
    assert_eq!(folder.read(&path("a.md")).unwrap(), None);
    assert_eq!(folder.read(&path("b/a.md")).unwrap(), None);
}

#[test]
fn a_stamp_tells_whether_the_bytes_are_others() {
    let (place, folder) = folder();
    let read = || folder.read(&path("a.md")).unwrap().unwrap().stamp;
    fs::write(place.path().join("a.md"), "one").unwrap();
    let one = read();
    assert_eq!(read(), one);
    fs::write(place.path().join("a.md"), "two").unwrap();
    assert_ne!(read().sha256, one.sha256);
    assert_eq!(folder.list().unwrap().files, [(path("a.md"), read().seen)]);
}

#[cfg(unix)]
#[test]
fn links_and_what_is_no_file_are_refused() {
    use std::os::unix::fs::symlink;
    let (place, folder) = folder();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.md"), "secret\n").unwrap();
    symlink(outside.path().join("a.md"), place.path().join("file.md")).unwrap();
    symlink(outside.path(), place.path().join("folder")).unwrap();
    fs::create_dir(place.path().join("b.md")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(place.path().join("pipe.md")).status();
    assert!(made.unwrap().success());
    for name in ["file.md", "folder/a.md", "b.md", "pipe.md"] {
        assert_eq!(failure(folder.read(&path(name))).0, ErrorKind::Refused, "{name}");
        assert_eq!(failure(folder.replace(&path(name), "x", None)).0, ErrorKind::Refused, "{name}");
        assert_eq!(failure(folder.append(&path(name), "", "x")).0, ErrorKind::Refused, "{name}");
    }
    assert_eq!(fs::read_to_string(outside.path().join("a.md")).unwrap(), "secret\n");
}

#[test]
fn a_list_has_what_can_be_read_and_says_what_was_left_out() {
    let (place, folder) = folder();
    for name in ["b/c.md", "a.md", "z.markdown", "x.MD"] {
        folder.append(&path(name), "", "- a\n").unwrap();
    }
    for folder in [".git", "b/.obsidian", "b/deep"] {
        fs::create_dir(place.path().join(folder)).unwrap();
    }
    for file in ["x.txt", ".hidden.md", ".git/a.md"] {
        fs::write(place.path().join(file), "x").unwrap();
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.md", place.path().join("link.md")).unwrap();
        fs::write(place.path().join("a:b.md"), "x").unwrap();
    }
    let listing = folder.list().unwrap();
    let files: Vec<&str> = listing.files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(files, ["a.md", "b/c.md", "x.MD", "z.markdown"]);
    let skipped: Vec<&str> = listing.skipped.iter().map(|skipped| &*skipped.path).collect();
    let expected = [".cofio", ".git", "a:b.md", "b/.obsidian", "link.md"];
    assert_eq!(
        skipped,
        if cfg!(unix) { &expected[..] } else { &[".cofio", ".git", "b/.obsidian"] }
    );
}

#[cfg(target_os = "linux")]
#[test]
fn what_only_looks_like_a_file_is_told() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let (place, folder) = folder();
    fs::create_dir_all(place.path().join("a.md/b")).unwrap();
    fs::write(place.path().join("a.md/c.md"), "- a\n").unwrap();
    fs::write(place.path().join(OsStr::from_bytes(b"b\xff.md")), "- a\n").unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(place.path().join("c.md")).status();
    assert!(pipe.unwrap().success());
    let listing = folder.list().unwrap();
    assert_eq!(listing.files, []);
    let skipped: Vec<(&str, &str)> =
        listing.skipped.iter().map(|skipped| (&*skipped.path, skipped.why)).collect();
    let odd = "it is no file, though it is called like one";
    let expected = [("a.md", odd), ("b\u{fffd}.md", "its name is no text"), ("c.md", odd)];
    assert_eq!(skipped, expected);
}

#[cfg(unix)]
#[test]
fn a_folder_of_somebody_else_has_names_of_its_own() {
    let (place, folder) = folder();
    fs::create_dir(place.path().join("a: b")).unwrap();
    for name in ["why?.md", "a: b/c.md", "d\u{7}.md", ".hidden.md"] {
        fs::write(place.path().join(name), name).unwrap();
    }
    let listing = folder.list_foreign().unwrap();
    let read = |path: &Relative| folder.read(path).unwrap().unwrap().text;
    let files: Vec<String> = listing.files.iter().map(|(path, _)| read(path)).collect();
    assert_eq!(files, ["a: b/c.md", "why?.md"]);
    let skipped: Vec<&str> = listing.skipped.iter().map(|skipped| &*skipped.path).collect();
    assert_eq!(skipped, ["d\u{7}.md"]);
    assert_eq!(folder.list().unwrap().files, []);
}
