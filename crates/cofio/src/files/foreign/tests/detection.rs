use super::*;

#[track_caller]
fn check(files: &[(&str, &str)], hidden: &[&str], expected: Format) {
    let files: Vec<File> = files.iter().map(|(path, text)| file(path, text)).collect();
    assert_eq!(detect(&files, hidden).format, expected);
}

#[test]
fn a_folder_is_told_by_what_only_one_program_writes() {
    let note = ("a.md", "- a\n");
    check(&[note], &[], Format::Markdown);
    check(&[], &[], Format::Markdown);
    check(&[note], &[".git", ".obsidian"], Format::Obsidian);
    check(&[note, ("b.md", "see [[a]]\n")], &[], Format::Obsidian);
    check(&[note, ("b.md", "[[bin]]\nname = \"a\"\n[[b]]\n")], &[], Format::Markdown);
    check(&[("a.md", "---\ntype: note\npermalink: a\n---\n")], &[], Format::BasicMemory);
    check(&[("a.md", "---\npermalink: /about/\n---\n")], &[], Format::Markdown);
    check(&[note, ("MEMORY.md", "- [A](a.md) — first\n")], &[], Format::Claude);
    check(&[note, ("MEMORY.md", "- [A](b.md) — first\n")], &[], Format::Markdown);
    check(&[("a.md", "---\nname: a\nmetadata:\n  type: user\n---\nx\n")], &[], Format::Claude);
}
