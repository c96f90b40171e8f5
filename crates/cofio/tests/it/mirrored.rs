//! A scope as files that a person edits while an agent writes to the store.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cofio::ErrorKind;
use cofio::engine::{SyncCounts, Synced, Syncing, Undoing};
use cofio::files::compare::Quarrel;
use cofio::files::mirror::{Layout, Written};
use cofio::files::{Document, Mirror};
use cofio::model::{
    Channel, Criteria, Kind, Layer, Memory, MemoryId, Patch, Scope, Source, State, Timestamp, Trust,
};
use cofio::{Config, Selection};
use pollster::block_on;
use tempfile::TempDir;

use crate::fixture::{fact, identifiers, keeper, local, named};
use crate::life::Life;

/// A folder in step with what Alice knows.
struct Desk<'a> {
    life: &'a Life,
    mirror: Mirror,
    folder: TempDir,
}

impl<'a> Desk<'a> {
    fn new(life: &'a Life) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (files, notes) = (folder.path().join("memory"), folder.path().join("notes"));
        let layout = Layout::Scope(Scope::user(named("alice")));
        let mirror = Mirror::open(&files, &notes, layout).unwrap();
        Self { life, mirror, folder }
    }

    fn sync(&self) -> Synced {
        self.sync_with(Syncing::default())
    }

    fn sync_with(&self, syncing: Syncing) -> Synced {
        block_on(self.life.engine.sync_files(&local("alice"), &self.mirror, syncing)).unwrap()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("memory").join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap()
    }

    /// Edits a file as a person does.
    fn edit(&self, name: &str, edit: impl Fn(String) -> String) {
        let file = self.file(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let before = fs::read_to_string(&file).unwrap_or_default();
        fs::write(&file, edit(before)).unwrap();
    }

    /// Returns a file without what is not shown.
    fn shown(&self, name: &str) -> String {
        let lines = self.read(name);
        let bare = |line: &str| line.split(" <!-- cofio:").next().unwrap_or_default().to_owned();
        lines.lines().map(bare).collect::<Vec<_>>().join("\n")
    }

    fn remember(&self, text: &str) -> Memory {
        self.life.keep(fact("alice", text))
    }

    /// Returns what is known in some state, in the order of the alphabet.
    fn known(&self, state: State) -> Vec<String> {
        let criteria = Criteria { states: vec![state], ..Criteria::default() };
        let selection = Selection::with(identifiers(&[(Layer::User, "alice")]), criteria);
        let listed = block_on(self.life.engine.list_all(&local("alice"), &selection)).unwrap();
        let mut texts: Vec<String> =
            listed.iter().map(|memory| memory.content.as_str().to_owned()).collect();
        texts.sort();
        texts
    }

    fn of(&self, id: &MemoryId) -> Memory {
        self.life.look_at(id)
    }

    /// Both sides agree: another sync does nothing.
    fn assert_settled(&self) {
        let before = files(&self.file(""));
        let synced = self.sync();
        assert!(synced.job.is_none() && synced.conflicts.is_empty(), "{synced:?}");
        assert_eq!(synced.counts, SyncCounts::default());
        assert_eq!(before, files(&self.file("")));
    }

    /// Lets something happen, after which files and notes are as they were before it.
    fn crashing(&self, happen: impl FnOnce()) {
        crashing(&[self.file(""), self.folder.path().join("notes")], happen);
    }
}

/// Lets something happen, after which some folders are as they were before it.
pub fn crashing(roots: &[PathBuf], happen: impl FnOnce()) {
    let kept: Vec<_> = roots.iter().map(|root| files(root)).collect();
    happen();
    for (root, before) in roots.iter().zip(kept) {
        for path in files(root).into_keys() {
            fs::remove_file(path).unwrap();
        }
        for (path, bytes) in before {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
}

/// Returns every file below a folder, except those that only say who writes.
pub fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.ends_with(".cofio") {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            found.insert(path, bytes);
        }
    }
    found
}

/// Lets the same happen on every store.
fn everywhere(happen: impl Fn(&Desk<'_>)) {
    Life::everywhere(&Config::default(), |life| happen(&Desk::new(life)));
}

#[test]
fn what_is_known_is_written_and_what_happened_goes_by_days() {
    everywhere(|desk| {
        desk.remember("Likes tea");
        desk.remember("Lives in Cardiff\n\nsince 2019");
        desk.life.say(Scope::user(named("alice")), "Good morning");
        desk.sync();
        assert_eq!(
            desk.shown("facts.md"),
            "---\nscope: user:alice\nstatus: active\ncreated: 2026-03-01T12:00:00Z\n\
             updated: 2026-03-01T12:00:00Z\n---\n\n\
             # Facts\n\n- Likes tea\n- Lives in Cardiff\n\n  since 2019"
        );
        let day = desk.read("daily/2026-03-01.md");
        assert!(
            day.starts_with("# 2026-03-01\n\n## 12:00\n\nGood morning\n<!-- cofio:ep_"),
            "{day}"
        );
        desk.assert_settled();
    });
}

#[test]
fn the_top_of_a_file_says_of_when_it_is_unless_somebody_takes_that_out() {
    everywhere(|desk| {
        desk.remember("Likes tea");
        desk.sync();
        desk.life.wait(1);
        desk.edit("facts.md", |text| text + "- Speaks Welsh\n");
        desk.sync();
        let file = desk.read("facts.md");
        assert!(file.contains("created: 2026-03-01T12:00:00Z\nupdated: 2026-03-02T12"), "{file}");

        desk.edit("facts.md", |text| text.replace("status: active", "mood: sunny"));
        desk.life.wait(1);
        desk.remember("Has two cats");
        desk.sync();
        let file = desk.read("facts.md");
        let top = "---\nscope: user:alice\nmood: sunny\ncreated: 2026-03-01T12:00:00Z\nupdated: 2026-03-03T12";
        assert!(file.starts_with(top), "{file}");

        desk.edit("facts.md", |text| text.split_once("\n\n").unwrap().1.to_owned());
        desk.remember("Has a dog");
        desk.sync();
        assert!(desk.read("facts.md").starts_with("# Facts\n\n- Likes tea"));
        desk.edit("facts.md", |text| {
            format!("---\nscope: other\nupdated: 1999-01-01T00:00:00Z\n---\n{text}")
        });
        desk.remember("Sings");
        desk.sync();
        assert!(desk.read("facts.md").contains("updated: 1999-01-01T00:00:00Z"));
        desk.assert_settled();
    });
}

#[test]
fn a_person_edits_adds_deletes_and_moves_lines_while_an_agent_writes() {
    everywhere(|desk| {
        let tea = desk.remember("Likes tea");
        let cats = desk.remember("Has two cats");
        let dogs = desk.remember("Has a dog");
        desk.sync();
        let moved =
            desk.read("facts.md").lines().find(|line| line.contains("a dog")).unwrap().to_owned();
        desk.edit("facts.md", |text| {
            let kept: Vec<String> = text
                .lines()
                .filter(|line| !line.contains("cats") && !line.contains("a dog"))
                .map(|line| line.replace("Likes tea", "Likes green tea"))
                .collect();
            kept.join("\n") + "\n- Speaks Welsh\n"
        });
        desk.edit("pets.md", |_| format!("# Pets\n\nAll of them.\n\n{moved}\n"));
        desk.remember("Works at the harbour");
        let synced = desk.sync();
        let wanted = [
            "All of them.",
            "Has a dog",
            "Likes green tea",
            "Speaks Welsh",
            "Works at the harbour",
        ];
        assert_eq!(desk.known(State::Active), wanted);
        assert_eq!(desk.known(State::Archived), ["Has two cats"]);
        assert_eq!((synced.counts.added, synced.counts.edited, synced.counts.deleted), (2, 1, 1));
        assert!(synced.conflicts.is_empty() && synced.problems.is_empty());
        let green = desk.of(&tea.id);
        assert_eq!((green.version, green.content.as_str()), (2, "Likes green tea"));
        assert_eq!(desk.of(&dogs.id).version, 1, "a line that was moved is the same");
        assert!(desk.shown("pets.md").contains("- Has a dog"));
        assert!(desk.shown("facts.md").contains("- Works at the harbour"));
        assert!(desk.of(&cats.id).expires_at.is_some());
        desk.assert_settled();
    });
}

#[test]
fn what_a_person_wrote_is_trusted_as_their_word() {
    everywhere(|desk| {
        desk.edit("facts.md", |_| "- Speaks Welsh\n".to_owned());
        desk.edit("daily/2026-02-28.md", |_| "## 09:30\n\nWent sailing.\n".to_owned());
        desk.sync();
        let criteria = Criteria::default();
        let selection = Selection::with(identifiers(&[(Layer::User, "alice")]), criteria);
        let mut all = block_on(desk.life.engine.list_all(&local("alice"), &selection)).unwrap();
        all.sort_by_key(|memory| memory.kind);
        let [sailing, welsh] = &all[..] else { panic!("{all:?}") };
        assert_eq!((sailing.kind, welsh.kind), (Kind::Episode, Kind::Fact));
        assert_eq!((welsh.source.trust(), welsh.state), (Trust::High, State::Active));
        assert_eq!(welsh.source.reference.as_deref(), Some("facts.md"));
        assert_eq!(sailing.event_at.to_string(), "2026-02-28T09:30:00Z");
        desk.assert_settled();
    });
}

#[test]
fn everything_that_files_brought_is_taken_back_at_once() {
    everywhere(|desk| {
        let tea = desk.remember("Likes tea");
        desk.remember("Has two cats");
        desk.sync();
        desk.edit("facts.md", |text| {
            let kept = text.lines().filter(|line| !line.contains("cats"));
            let kept: Vec<String> = kept.map(|line| line.replace("tea", "coffee")).collect();
            kept.join("\n") + "\n- Speaks Welsh\n"
        });
        let job = desk.sync().job.unwrap();
        assert_eq!(desk.known(State::Active), ["Likes coffee", "Speaks Welsh"]);
        block_on(desk.life.engine.undo(&keeper(), &job.id, Undoing::default())).unwrap();
        desk.sync();
        assert_eq!(desk.known(State::Active), ["Has two cats", "Likes tea"]);
        let shown = desk.shown("facts.md");
        assert!(shown.contains("Likes tea") && shown.contains("cats"), "{shown}");
        assert!(!shown.contains("coffee") && !shown.contains("Welsh"), "{shown}");
        assert_eq!(desk.of(&tea.id).version, 3);
        desk.assert_settled();
    });
}

#[test]
fn what_both_changed_stands_twice_and_is_told() {
    everywhere(|desk| {
        let tea = desk.remember("Likes tea");
        desk.sync();
        desk.edit("facts.md", |text| text.replace("Likes tea", "Likes coffee"));
        let patch = Patch { content: Some("Likes cocoa".to_owned()), ..Patch::default() };
        block_on(desk.life.engine.update(&local("alice"), &tea.id, patch)).unwrap();
        let synced = desk.sync();
        let (path, conflict) = &synced.conflicts[0];
        assert_eq!((path.as_str(), &conflict.id), ("facts.md", &tea.id));
        assert_eq!(conflict.quarrel, Quarrel::BothChanged);
        assert_eq!(desk.known(State::Active), ["Likes cocoa", "Likes coffee"]);
        let shown = desk.shown("facts.md");
        assert!(shown.contains("Likes cocoa") && shown.contains("Likes coffee"), "{shown}");
        desk.assert_settled();
    });
}

#[test]
fn a_secret_stays_out_of_the_store_and_goes_from_the_file_only_if_wanted() {
    let token =
        format!("ghp_{}", "x7Kq2mN9pL4vR8tZ1wB6".repeat(2)).chars().take(40).collect::<String>();
    everywhere(|desk| {
        desk.edit("facts.md", |_| format!("- Likes tea\n- The token is {token}\n"));
        let synced = desk.sync();
        assert_eq!(desk.known(State::Active), ["Likes tea"]);
        let [problem] = &synced.problems[..] else { panic!("{:?}", synced.problems) };
        assert_eq!((problem.path.as_str(), problem.line), ("facts.md", 2));
        assert!(problem.why.contains("secret") && !problem.why.contains(&token), "{problem:?}");
        assert!(desk.read("facts.md").contains(&token));
        desk.sync_with(Syncing { redact: true, ..Syncing::default() });
        assert!(!desk.read("facts.md").contains(&token));
        assert_eq!(desk.known(State::Active).len(), 2);
        desk.assert_settled();
    });
}

#[test]
fn many_deletions_wait_until_somebody_agrees() {
    everywhere(|desk| {
        for number in 0..60 {
            desk.remember(&format!("Fact number {number}"));
        }
        desk.sync();
        fs::remove_file(desk.file("facts.md")).unwrap();
        let held = desk.sync();
        assert_eq!((held.held, held.job.is_none()), (Some((60, 60)), true));
        assert_eq!(desk.known(State::Active).len(), 60);
        desk.sync_with(Syncing { agreed: true, ..Syncing::default() });
        assert_eq!(desk.known(State::Archived).len(), 60);
        desk.assert_settled();
    });
}

#[test]
fn a_line_that_comes_back_is_the_memory_it_was() {
    everywhere(|desk| {
        let tea = desk.remember("Likes tea");
        desk.sync();
        let before = desk.read("facts.md");
        desk.edit("facts.md", |_| "# Facts\n".to_owned());
        desk.sync();
        assert_eq!(desk.of(&tea.id).state, State::Archived);
        desk.edit("facts.md", |_| before.clone());
        desk.sync();
        let back = desk.of(&tea.id);
        assert_eq!((back.state, back.expires_at), (State::Active, None));
        desk.edit("facts.md", |_| "# Facts\n".to_owned());
        desk.sync();
        desk.edit("facts.md", |_| "# Facts\n\n- Likes tea\n".to_owned());
        desk.sync();
        assert_eq!(desk.of(&tea.id).state, State::Active, "without its marker too");
        desk.assert_settled();
    });
}

#[test]
fn what_was_taken_in_before_a_crash_is_not_taken_in_twice() {
    everywhere(|desk| {
        desk.edit("facts.md", |_| "- Speaks Welsh\n- Likes tea\n".to_owned());
        desk.crashing(|| assert!(desk.sync().job.is_some()));
        let synced = desk.sync();
        assert_eq!((synced.job.is_none(), synced.problems.len()), (true, 0));
        assert_eq!(desk.known(State::Active), ["Likes tea", "Speaks Welsh"]);
        assert_eq!(desk.read("facts.md").matches("<!-- cofio:fact_").count(), 2);
        desk.assert_settled();
    });
}

#[test]
fn files_that_cannot_be_read_delete_nothing() {
    everywhere(|desk| {
        desk.remember("Likes tea");
        desk.sync();
        fs::write(desk.file("facts.md"), [b'#', 0xff, 0xfe, 0x00]).unwrap();
        assert_eq!(desk.sync().unread.len(), 1);
        desk.remember("Has two cats");
        desk.sync();
        assert_eq!(desk.known(State::Active), ["Has two cats", "Likes tea"]);
    });
}

#[test]
fn a_folder_that_is_a_link_is_left_alone_with_what_belongs_there() {
    let life = Life::new();
    let desk = Desk::new(&life);
    let elsewhere = desk.folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, desk.file("daily")).unwrap();
    life.say(Scope::user(named("alice")), "Good morning");
    desk.remember("Likes tea");
    desk.sync();
    assert!(desk.shown("facts.md").contains("Likes tea"));
    assert!(fs::read_dir(&elsewhere).unwrap().next().is_none());
}

#[test]
fn a_folder_is_in_step_with_one_scope_alone() {
    let life = Life::new();
    let desk = Desk::new(&life);
    desk.remember("Likes tea");
    desk.sync();
    let notes = desk.folder.path().join("notes");
    let bob = Scope::user(named("bob"));
    let refused = Mirror::open(desk.mirror.path(), &notes, Layout::Scope(bob)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Configuration);
    assert!(refused.to_string().contains("user:alice"), "{refused}");
    desk.assert_settled();
}

#[test]
fn a_file_that_changes_meanwhile_is_not_overwritten_and_what_was_taken_in_is_agreed_on() {
    let life = Life::new();
    let desk = Desk::new(&life);
    let tea = desk.remember("Likes tea");
    desk.sync();
    let mut look = desk.mirror.look(Timestamp::MIN).unwrap();
    let before = look.pages.pop().unwrap();
    desk.edit("facts.md", |text| text + "- Speaks Welsh\n");
    let document = Document::parse("# Facts\n\n- Likes tea\n- Has two cats\n");
    let taken = vec![(tea.id, "Likes green tea".to_owned())];
    let written = Written { before, document, said: Vec::new(), taken: taken.clone() };
    let refused = desk.mirror.write(&[written], &[], None).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(desk.mirror.look(Timestamp::MIN).unwrap().pages[0].base, taken);
    assert!(desk.read("facts.md").ends_with("- Speaks Welsh\n"));
}

#[test]
fn a_file_that_was_read_while_an_editor_wrote_it_is_read_again() {
    let life = Life::new();
    let desk = Desk::new(&life);
    desk.remember("Likes tea");
    desk.sync();
    let text = desk.read("facts.md");
    // An editor that saves in place empties the file first.
    desk.edit("facts.md", |_| String::new());
    let look = desk.mirror.look(Timestamp::MIN).unwrap();
    desk.mirror.check(&look).unwrap();
    desk.edit("facts.md", |_| text.clone());
    assert_eq!(desk.mirror.check(&look).unwrap_err().kind(), ErrorKind::Conflict);
    desk.assert_settled();
}

#[test]
fn nothing_of_others_is_written_and_nobody_else_may() {
    let life = Life::new();
    let desk = Desk::new(&life);
    life.keep(fact("bob", "Bob's secret garden"));
    desk.remember("Likes tea");
    desk.sync();
    assert!(!desk.read("facts.md").contains("garden"));
    let refused = block_on(life.engine.sync_files(&local("bob"), &desk.mirror, Syncing::default()));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unauthorized);
}

#[test]
fn what_waits_for_review_is_in_no_file() {
    let life = Life::new();
    let desk = Desk::new(&life);
    let mut guess = fact("alice", "Perhaps likes jazz");
    guess.source = Source::through(Channel::Inference);
    life.keep(guess);
    desk.sync();
    assert!(!desk.file("facts.md").exists());
}
