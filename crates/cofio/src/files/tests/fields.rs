use super::*;
use crate::files::Value;

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

fn list(values: &[&str]) -> Value {
    Value::List(values.iter().map(|value| (*value).to_owned()).collect())
}

/// Checks what a field says.
#[track_caller]
fn check(fields: &str, expected: impl Into<Option<Value>>) {
    let document = Document::parse(&format!("---\n{fields}\nother: 1\n---\ntext\n"));
    let front = document.front_matter().unwrap();
    assert_eq!(front.get("a").cloned(), expected.into(), "{fields}");
    assert_eq!(front.get("other"), Some(&text("1")), "{fields}");
}

#[test]
fn texts_and_lists_are_understood() {
    check("a: plain text # comment", Some(text("plain text")));
    check("a: 2026-01-31", Some(text("2026-01-31")));
    check("a: https://example.org/#top", Some(text("https://example.org/#top")));
    check("a: 'it''s'", Some(text("it's")));
    check(r#"a: "x\n\"\u00e9\"" # c"#, Some(text("x\n\"é\"")));
    check("a:", Some(text("")));
    check("a: [x, 'y, z', \"w\"]", Some(list(&["x", "y, z", "w"])));
    check("a:\n  - x\n  - 'y'", Some(list(&["x", "y"])));
    check("a:\n- x\n- y", Some(list(&["x", "y"])));
}

#[test]
fn what_is_not_understood_is_no_value() {
    for fields in [
        "a: |\n  text",
        "a: {x: 1}",
        "a:\n  b: 1",
        "a: [x",
        "a: \"x",
        "a: *x",
        "a: one\n  two",
        "b: 1",
    ] {
        check(fields, None);
    }
}

#[test]
fn one_field_is_set_and_the_others_stay() {
    let set = |before: &str, name: &str, value: Value| {
        let document = Document::parse(before);
        let mut edit = document.edit();
        edit.set(name, value);
        edit.finish().to_string()
    };
    let before = "---\n# about\na: 1   # one\nb:\n  - x\n\nc: {d: e}\n---\n\ntext\n";
    assert_eq!(set(before, "a", text("2")), before.replace("1   # one", "2"));
    assert_eq!(set(before, "b", list(&["y", "z"])), before.replace("  - x\n", "  - y\n  - z\n"));
    assert_eq!(
        set(before, "f", list(&["x", "y: z"])),
        before.replace("e}\n", "e}\nf: [x, \"y: z\"]\n")
    );
    assert_eq!(set("text", "a", text("no")), "---\na: \"no\"\n---\n\ntext");
    assert_eq!(set("\u{feff}a\r\n", "a", text("b")), "\u{feff}---\r\na: b\r\n---\r\n\r\na\r\n");
}

proptest! {
    #[test]
    fn any_value_is_read_as_it_was_written(value in any_text(), items in prop::collection::vec(any_text(), 1..4), before in markdown()) {
        let document = Document::parse(&before);
        let mut edit = document.edit();
        edit.set("a", Value::Text(value.clone()));
        edit.set("b", Value::List(items.clone()));
        let made = edit.finish();
        let front = made.front_matter().unwrap();
        prop_assert_eq!(front.get("a"), Some(&Value::Text(value)));
        prop_assert_eq!(front.get("b"), Some(&Value::List(items)));
        prop_assert_eq!(entries(made.as_str()), entries(&before));
    }
}
