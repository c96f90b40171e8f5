//! What is in a folder. Pure: files in, a text out.

use std::collections::BTreeMap;

use super::files::File;
use super::path::MemoryPath;

/// How many folders deep a listing goes.
const DEPTH: usize = 2;

/// The size that file systems mostly say a folder has.
const FOLDER: usize = 4096;

/// What stands under one name.
enum Entry {
    File(usize),
    Folder(BTreeMap<String, Entry>),
}

/// Lists what is in a folder, two levels deep, without what is hidden.
///
/// `path` is the folder as the model wrote it, which the answer repeats.
pub(super) fn listing(path: &str, folder: &MemoryPath, files: &[File]) -> String {
    let mut tree = BTreeMap::new();
    for file in files {
        place(&mut tree, file.path.within(folder), file.text.len());
    }
    let mut lines = vec![
        format!(
            "Here're the files and directories up to 2 levels deep in {path}, excluding hidden \
             items:"
        ),
        format!("{}\t{path}", size(FOLDER)),
    ];
    list(&tree, path, 1, &mut lines);
    lines.join("\n")
}

fn place(tree: &mut BTreeMap<String, Entry>, names: &[String], bytes: usize) {
    match names {
        [] => {}
        [name] => drop(tree.insert(name.clone(), Entry::File(bytes))),
        [name, rest @ ..] => {
            let entry = tree.entry(name.clone());
            if let Entry::Folder(inner) = entry.or_insert_with(|| Entry::Folder(BTreeMap::new())) {
                place(inner, rest, bytes);
            }
        }
    }
}

fn list(tree: &BTreeMap<String, Entry>, path: &str, depth: usize, lines: &mut Vec<String>) {
    for (name, entry) in tree.iter().filter(|(name, _)| !name.starts_with('.')) {
        match entry {
            Entry::File(bytes) => lines.push(format!("{}\t{path}/{name}", size(*bytes))),
            Entry::Folder(inner) => {
                lines.push(format!("{}\t{path}/{name}/", size(FOLDER)));
                if depth < DEPTH {
                    list(inner, &format!("{path}/{name}"), depth + 1, lines);
                }
            }
        }
    }
}

/// Returns a size as people read it.
fn size(bytes: usize) -> String {
    let (mut unit, mut units) = ('B', ['K', 'M', 'G'].into_iter());
    let mut whole = 1_usize;
    while bytes / whole >= 1024
        && let Some(next) = units.next()
    {
        unit = next;
        whole *= 1024;
    }
    if bytes.is_multiple_of(whole) {
        return format!("{}{unit}", bytes / whole);
    }
    format!("{:.1}{unit}", bytes as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_short() {
        let check = |bytes, expected| assert_eq!(size(bytes), expected);
        check(0, "0B");
        check(1023, "1023B");
        check(1024, "1K");
        check(1280, "1.2K");
        check(1536, "1.5K");
        check(1_048_575, "1024.0K");
        check(1_048_576, "1M");
    }
}
