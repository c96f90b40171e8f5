//! A person with an editor.
//!
//! They are careful: right before they save they look whether the file is still what they read, and
//! do the same again to what it is now if it is not. For that moment they hold the folder's lock,
//! which real editors do not: those lose what they save in the microseconds between the comparison
//! and the renaming of somebody else (decision 18), and here every loss counts. Whoever reads the
//! folder meanwhile does not wait for them, and may find a file of which half is written.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::ledger::{Author, Ledger, words};
use super::page::{Page, Piece};
use crate::random::Random;

/// The files that they write to, beside those that are there.
const FILES: [&str; 4] = ["facts.md", "pets.md", "people/bob.md", "daily/2026-01-31.md"];

/// How many microseconds they take at most to type something.
const LONGEST_PAUSE: usize = 100_000;

pub struct Person<'a> {
    folder: &'a Path,
    ledger: &'a Ledger,
    random: Random,
    /// How often they saved a file.
    saved: usize,
}

impl<'a> Person<'a> {
    pub fn new(folder: &'a Path, ledger: &'a Ledger, seed: u64) -> Self {
        Self { folder, ledger, random: Random::new(seed), saved: 0 }
    }

    /// Edits one thing after the other, and returns how often something was saved.
    pub fn work(mut self, until: Instant) -> usize {
        while Instant::now() < until {
            match self.random.below(12) {
                0..3 => self.add(),
                3..6 => self.edit(),
                6 | 7 => self.delete(),
                8 => self.move_within(),
                9 | 10 => self.move_elsewhere(),
                _ => self.lose_the_marker(),
            }
            self.pause();
        }
        self.saved
    }

    fn add(&mut self) {
        let (file, line, number) = (self.file(), self.line(), self.random.below(40));
        self.change(&file, |page| {
            page.insert(number, &format!("- {line}\n"));
            true
        });
        self.ledger.wrote(&line, None);
    }

    /// Writes another line in the place of one.
    fn edit(&mut self) {
        let Some((file, item)) = self.item() else { return };
        let text = item.text();
        let lines: Vec<&str> = text.lines().collect();
        let before = lines[self.random.below(lines.len())];
        let Some(word) = words(before).next() else { return };
        let line = self.line();
        if self.change(&file, |page| page.replace(word, before, &line)) {
            self.ledger.handled(&text, item.id());
            self.ledger.withdrew(before);
            self.ledger.wrote(&line, None);
            item.id().inspect(|id| self.ledger.saw(&text.replace(before, &line), id));
        }
    }

    fn delete(&mut self) {
        let Some((file, item)) = self.item() else { return };
        if self.remove(&file, &item) {
            self.ledger.withdrew(&item.text());
        }
    }

    fn move_within(&mut self) {
        let (Some((file, item)), number) = (self.item(), self.random.below(40)) else { return };
        let word = first_word(&item);
        let moved = self.change(&file, |page| {
            let taken = page.remove(&word);
            taken.inspect(|item| page.insert(number, &item.raw)).is_some()
        });
        if moved {
            self.ledger.handled(&item.text(), item.id());
        }
    }

    /// Takes an item out of a file and puts it into another one, in either order.
    fn move_elsewhere(&mut self) {
        let (Some((from, item)), to) = (self.item(), self.file()) else { return };
        let number = self.random.below(40);
        let insert = |page: &mut Page| {
            page.insert(number, &item.raw);
            true
        };
        if self.random.below(2) == 0 {
            self.change(&to, insert);
            self.remove(&from, &item);
        } else if self.remove(&from, &item) {
            self.change(&to, insert);
        }
        self.ledger.handled(&item.text(), item.id());
    }

    /// Writes an item anew, without the comment behind it.
    fn lose_the_marker(&mut self) {
        let Some((file, item)) = self.item() else { return };
        let Some(id) = item.id() else { return };
        let (word, marker) = (first_word(&item), format!(" <!-- cofio:{id} -->"));
        if self.change(&file, |page| page.replace(&word, &marker, "")) {
            self.ledger.handled(&item.text(), Some(id));
        }
    }

    fn remove(&mut self, file: &Path, item: &Piece) -> bool {
        let word = first_word(item);
        let removed = self.change(file, |page| page.remove(&word).is_some());
        if removed {
            self.ledger.handled(&item.text(), item.id());
        }
        removed
    }

    /// Picks an item of some file.
    fn item(&mut self) -> Option<(PathBuf, Piece)> {
        let file = self.file();
        let page = Page::read(&fs::read_to_string(&file).unwrap_or_default());
        let items: Vec<&Piece> =
            page.items().filter(|item| words(&item.raw).next().is_some()).collect();
        for item in &items {
            item.id().inspect(|id| self.ledger.saw(&item.text(), id));
        }
        let item = (!items.is_empty()).then(|| items[self.random.below(items.len())].clone())?;
        self.pause();
        Some((file, item))
    }

    fn file(&mut self) -> PathBuf {
        let daily = fs::read_dir(self.folder.join("daily")).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = daily.map(|entry| entry.path()).collect();
        files.extend(FILES.map(|name| self.folder.join(name)));
        files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
        files.swap_remove(self.random.below(files.len()))
    }

    /// Changes a file, anew if it is another one by the time it is saved, and returns whether there
    /// was still something to change.
    fn change(&mut self, file: &Path, change: impl Fn(&mut Page) -> bool) -> bool {
        loop {
            let before = fs::read_to_string(file).ok();
            let mut page = Page::read(before.as_deref().unwrap_or_default());
            if !change(&mut page) {
                return false;
            }
            self.pause();
            if self.save(file, before.as_deref(), &page.to_string()) {
                self.saved += 1;
                return true;
            }
        }
    }

    /// Saves a file in one of the ways of editors, unless it is not as it was.
    fn save(&mut self, file: &Path, before: Option<&str>, after: &str) -> bool {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let ours = self.folder.join(".cofio");
        fs::create_dir_all(&ours).unwrap();
        let lock = File::options().create(true).append(true).open(ours.join("lock"));
        let lock = lock.unwrap();
        lock.lock().unwrap();
        if fs::read_to_string(file).ok().as_deref() != before {
            return false;
        }
        let in_place = self.random.below(2) == 0;
        self.ledger.note(|| told(file, in_place, before.unwrap_or_default(), after));
        if in_place {
            fs::write(file, after).unwrap();
        } else {
            let beside = file.with_extension("swp");
            fs::write(&beside, after).unwrap();
            fs::rename(&beside, file).unwrap();
        }
        true
    }

    fn line(&mut self) -> String {
        self.ledger.fresh(Author::Person, &mut self.random)
    }

    fn pause(&mut self) {
        let pause = u64::try_from(self.random.below(LONGEST_PAUSE)).unwrap();
        sleep(Duration::from_micros(pause));
    }
}

/// Returns a word by which an item is found again.
fn first_word(item: &Piece) -> String {
    words(&item.raw).next().unwrap_or_default().to_owned()
}

/// Says which lines of a file come and go.
fn told(file: &Path, in_place: bool, before: &str, after: &str) -> String {
    let others = |one: &str, other: &str| {
        let other: BTreeSet<&str> = other.lines().collect();
        let lines = one.lines().filter(|line| !other.contains(line));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let (gone, new) = (others(before, after), others(after, before));
    let way = if in_place { "in place" } else { "by renaming" };
    format!("a person saves {} {way}: {gone:?} became {new:?}", file.display())
}
