use std::thread;

use super::*;

#[test]
fn a_file_is_replaced_only_if_it_is_as_expected() {
    let (place, folder) = folder();
    let name = path("world/a.md");
    let one = folder.replace(&name, "one", None).unwrap();
    assert_eq!(folder.read(&name).unwrap().unwrap().stamp, one);
    assert_eq!(failure(folder.replace(&name, "x", None)).0, ErrorKind::Conflict);
    let two = folder.replace(&name, "two", Some(&one)).unwrap();
    assert_eq!(failure(folder.replace(&name, "x", Some(&one))).0, ErrorKind::Conflict);
    fs::write(place.path().join("world/a.md"), "an editor's").unwrap();
    assert_eq!(failure(folder.replace(&name, "x", Some(&two))).0, ErrorKind::Conflict);
    assert_eq!(text(&folder, "world/a.md"), "an editor's");
    assert_eq!(failure(folder.replace(&path("b.md"), "x", Some(&two))).0, ErrorKind::Conflict);
    assert_eq!(fs::read_dir(place.path().join("world")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_a_new_file_and_an_old_one_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let (place, folder) = folder();
    let file = place.path().join("a.md");
    let mode = || fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    let one = folder.replace(&path("a.md"), "one", None).unwrap();
    assert_eq!(mode(), 0o600);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    folder.replace(&path("a.md"), "two", Some(&one)).unwrap();
    assert_eq!(mode(), 0o644);
}

#[test]
fn a_header_is_written_once_and_a_line_that_was_cut_is_completed() {
    let (place, folder) = folder();
    let add = |entry: &str| folder.append(&path("a.md"), "# Day\n\n", entry).unwrap();
    add("- a\n");
    add("- b\n");
    fs::write(place.path().join("a.md"), text(&folder, "a.md") + "- cu").unwrap();
    add("- c\n");
    assert_eq!(text(&folder, "a.md"), "# Day\n\n- a\n- b\n- cu\n- c\n");
}

#[test]
fn a_character_that_was_cut_does_not_make_the_file_unreadable() {
    for cut in ["é", "€", "🍵"] {
        for length in 1..cut.len() {
            let (place, folder) = folder();
            let torn = [b"- \xc3\xa9 cu", &cut.as_bytes()[..length]].concat();
            fs::write(place.path().join("a.md"), torn).unwrap();
            folder.append(&path("a.md"), "# Day\n", "- c\n").unwrap();
            assert_eq!(text(&folder, "a.md"), "- é cu\n- c\n");
        }
        let (place, folder) = folder();
        fs::write(place.path().join("a.md"), cut).unwrap();
        folder.append(&path("a.md"), "# Day\n", "- c\n").unwrap();
        assert_eq!(text(&folder, "a.md"), format!("{cut}\n- c\n"));
    }
}

#[test]
fn what_a_killed_process_left_is_cleaned_up_by_its_age() {
    let (place, folder) = folder();
    fs::create_dir(place.path().join("b")).unwrap();
    for name in [".cofio-1.tmp", "b/.cofio-2.tmp", "b/other.tmp"] {
        fs::write(place.path().join(name), "x").unwrap();
    }
    let locked = folder.lock().unwrap();
    assert_eq!(locked.clean_up(crate::model::Timestamp::UNIX_EPOCH).unwrap(), 0);
    assert_eq!(locked.clean_up(crate::model::Timestamp::MAX).unwrap(), 2);
    assert!(place.path().join("b/other.tmp").exists());
}

#[test]
fn a_file_is_removed_only_if_it_is_as_expected() {
    let (_place, folder) = folder();
    let one = folder.replace(&path("a.md"), "one", None).unwrap();
    let two = folder.replace(&path("a.md"), "two", Some(&one)).unwrap();
    assert_eq!(failure(folder.lock().unwrap().remove(&path("a.md"), &one)).0, ErrorKind::Conflict);
    folder.lock().unwrap().remove(&path("a.md"), &two).unwrap();
    assert_eq!(folder.read(&path("a.md")).unwrap(), None);
}

#[test]
fn nobody_waits_for_ever() {
    let (place, folder) = folder();
    let mut other = Folder::open(place.path()).unwrap();
    other.patience = Duration::from_millis(20);
    let locked = folder.lock().unwrap();
    let (kind, message) = failure(other.lock());
    assert_eq!(kind, ErrorKind::Provider);
    assert!(message.contains("another process has been writing"), "{message}");
    drop(locked);
    other.lock().unwrap();
}

#[test]
fn a_lock_whose_file_was_removed_is_made_anew() {
    let (place, folder) = folder();
    let mut other = Folder::open(place.path()).unwrap();
    other.patience = Duration::from_millis(20);
    drop(folder.lock().unwrap());
    fs::remove_file(place.path().join(".cofio/lock")).unwrap();
    let _locked = folder.lock().unwrap();
    assert!(other.lock().is_err());
}

/// What was added to the old file is added to the new one too, so that it stands in both.
#[test]
fn what_is_added_while_the_file_is_taken_away_is_added_again() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let (place, folder) = folder();
    let done = AtomicBool::new(false);
    let added = thread::scope(|scope| {
        scope.spawn(|| {
            for number in (0..).take_while(|_| !done.load(Ordering::Relaxed)) {
                let old = place.path().join(format!("{number}.txt"));
                let _ = fs::rename(place.path().join("a.md"), old);
                thread::sleep(Duration::from_micros(number % 500));
            }
        });
        let lines = (0..25).map(|number| format!("- {number}"));
        let add = |line: &String| folder.append(&path("a.md"), "", &format!("{line}\n")).is_ok();
        let added: Vec<String> = lines.filter(add).collect();
        done.store(true, Ordering::Relaxed);
        added
    });
    let files = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.is_file());
    let texts: String = files.map(|file| fs::read_to_string(file).unwrap()).collect();
    let times = |line: &String| texts.lines().filter(|other| other == line).count();
    assert!(added.iter().all(|line| times(line) > 0));
    assert!(added.iter().any(|line| times(line) > 1), "nothing was added again");
}

#[test]
fn eight_threads_that_each_add_lines_lose_none() {
    let (place, folder) = folder();
    let name = path("a.md");
    folder.replace(&name, "", None).unwrap();
    thread::scope(|scope| {
        for thread in 0..8 {
            let (place, name) = (place.path(), &name);
            scope.spawn(move || {
                let folder = Folder::open(place).unwrap();
                for line in 0..100 {
                    while !added(&folder, name, &format!("- {thread} {line}\n")) {}
                }
            });
        }
    });
    let text = text(&folder, "a.md");
    let lines: std::collections::BTreeSet<&str> = text.lines().collect();
    assert_eq!((text.lines().count(), lines.len()), (800, 800));
}

/// Reads a file and replaces it with one line more, unless somebody else did meanwhile.
fn added(folder: &Folder, name: &Relative, line: &str) -> bool {
    let content = folder.read(name).unwrap().unwrap();
    match folder.replace(name, &format!("{}{line}", content.text), Some(&content.stamp)) {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::Conflict => false,
        Err(error) => panic!("{error:?}"),
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_is_swapped_for_a_link_leads_nowhere() {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{CWD, RenameFlags, renameat_with};

    let (place, folder) = folder();
    let outside = tempfile::tempdir().unwrap();
    let (inside, link) = (place.path().join("world"), place.path().join("link"));
    fs::create_dir(&inside).unwrap();
    std::os::unix::fs::symlink(outside.path(), &link).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &inside, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                thread::yield_now();
            }
        });
        for number in 0..500 {
            // It fails while the link is there.
            let _ = folder.append(&path(&format!("world/{}.md", number % 5)), "", "- a\n");
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}
