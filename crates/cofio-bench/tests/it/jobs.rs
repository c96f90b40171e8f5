//! A process is killed while it does one of the engine's own jobs.
//!
//! Every kill is of a job on a fresh copy of the same file. Afterwards each place is as it was or as
//! it is when all is done, the ledger calls nothing complete that is not, and the next run does what
//! is left. `COFIO_JOBS` gives another number of kills, as in `kills=200`; `cargo xtask soak jobs`
//! does so.

mod material;
mod state;
mod worker;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cofio::model::{JobState, Task};
use fastrand::Rng;
use tempfile::TempDir;

use material::{HOUR, PLACES, moment};
use state::{State, Whole, examine, read};
use worker::{Ended, finish, kill, worker};

/// Returns how many kills there are of each task: what the environment says, or few.
fn kills() -> usize {
    let said = std::env::var("COFIO_JOBS").unwrap_or_default();
    let mut sizes = said.split(',').filter_map(|size| size.split_once('='));
    let kills = sizes.rfind(|(name, _)| *name == "kills");
    kills.map_or(12, |(_, number)| number.parse().expect("the value is a number"))
}

/// A file with something to do, and how it is before and after it is done.
struct Trial {
    task: Task,
    whole: Whole,
    folder: TempDir,
    before: State,
    after: State,
    /// How long it takes.
    duration: Duration,
}

/// A file that goes when it goes.
struct Copied {
    path: PathBuf,
    _folder: TempDir,
}

/// What kills came to.
#[derive(Default)]
struct Figures {
    /// After how many the job was found interrupted.
    interrupted: usize,
    /// After how many some of it was done and some not.
    partial: usize,
    /// After how many nothing was done.
    untouched: usize,
    /// Places that were neither as before nor as afterwards.
    torn: Vec<String>,
}

impl Trial {
    fn new(task: Task, whole: Whole) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prepared.db");
        material::prepare(&path, task);
        if task == Task::Undo {
            let done = finish(worker(&path, Task::Consolidate, moment(-HOUR), &[]));
            assert_eq!(done.line, format!("completed {}", 4 * PLACES));
        }
        let before = read(&path, whole);
        let mut trial =
            Self { task, whole, folder, before, after: BTreeMap::new(), duration: Duration::ZERO };
        let copy = trial.copy();
        let Ended { line, duration } = trial.finish(&copy.path, 0);
        assert!(line.starts_with("completed ") && line != "completed 0", "{task}: {line}");
        trial.after = read(&copy.path, whole);
        trial.duration = duration;
        assert_ne!(trial.before, trial.after);
        trial
    }

    /// Makes a copy in which nothing is done yet, in a folder of its own.
    fn copy(&self) -> Copied {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cofio.db");
        std::fs::copy(self.folder.path().join("prepared.db"), &path).unwrap();
        Copied { path, _folder: folder }
    }

    /// Does everything that is left.
    fn finish(&self, path: &Path, hour: i64) -> Ended {
        finish(worker(path, self.task, moment(hour * HOUR), &[]))
    }

    /// Kills a process at some moment while it does the job.
    fn kill(&self, path: &Path, random: &mut Rng, arguments: &[&str]) {
        let command = worker(path, self.task, moment(0), arguments);
        if self.whole == Whole::Place {
            // Counting parts hits the middle on a slow machine too; the pause ends inside of one.
            let part = random.usize(1..=PLACES);
            kill(command, part, self.duration.mul_f64(random.f64() / PLACES as f64));
        } else {
            kill(command, 1, self.duration.mul_f64(random.f64()));
        }
    }

    /// Kills once, looks at what is left, and lets the rest be done.
    fn survive(&self, random: &mut Rng, figures: &mut Figures) {
        let Copied { path, _folder } = self.copy();
        self.kill(&path, random, &[]);
        let found = examine(&path, self.task);
        self.judge(&path, found, figures);
        let Ended { line, .. } = self.finish(&path, 1);
        assert!(line.starts_with("completed "), "{line}");
        examine(&path, self.task);
        assert_eq!(read(&path, self.whole), self.after, "the next run does what is left");
        let Ended { line, .. } = self.finish(&path, 2);
        assert_eq!(line, "completed 0");
        assert_eq!(read(&path, self.whole), self.after);
    }

    /// Compares what a kill left behind with before and after.
    fn judge(&self, path: &Path, ledger: Option<JobState>, figures: &mut Figures) {
        let state = read(path, self.whole);
        let (done, left, torn) = state::compare(&state, &self.before, &self.after);
        let complete = ledger == Some(JobState::Completed);
        assert!(!complete || (left, torn.len()) == (0, 0), "{left} left of a complete job");
        if self.task == Task::Undo {
            assert_eq!(complete, left == 0, "a job is undone if and only if the ledger says so");
        }
        figures.interrupted += usize::from(ledger == Some(JobState::Interrupted));
        figures.partial += usize::from(done > 0 && left > 0);
        figures.untouched += usize::from(done == 0);
        figures.torn.extend(torn);
    }
}

/// Kills a job again and again until a kill has hit what is meant, and checks that none tore it.
#[track_caller]
fn check(task: Task, whole: Whole, kills: usize, hit: impl Fn(&Figures) -> bool) {
    let trial = Trial::new(task, whole);
    let (mut random, mut figures, mut killed) = (Rng::new(), Figures::default(), 0);
    while killed < kills || (!hit(&figures) && killed < 5 * kills) {
        trial.survive(&mut random, &mut figures);
        killed += 1;
    }
    let Figures { interrupted, partial, untouched, torn } = &figures;
    println!(
        "{task} killed {killed} times: {interrupted} interrupted, {partial} with some of it done, \
         {untouched} with nothing done"
    );
    assert_eq!(*torn, Vec::<String>::new());
    assert!(hit(&figures), "no kill hit the middle of a job");
}

/// Kills a job that does one part after the other.
#[track_caller]
fn check_parts(task: Task, whole: Whole, kills: usize) {
    check(task, whole, kills, |figures| figures.interrupted > 0 && figures.partial > 0);
}

#[test]
fn a_killed_consolidation_leaves_every_conversation_read_or_unread() {
    check_parts(Task::Consolidate, Whole::Place, kills());
}

#[test]
fn a_killed_enrichment_leaves_every_place_read_again_or_not() {
    check_parts(Task::Enrich, Whole::Place, kills());
}

#[test]
fn a_killed_promotion_leaves_every_conversation_over_or_not() {
    check_parts(Task::Promote, Whole::Place, kills());
}

#[test]
fn a_killed_merge_leaves_every_place_merged_or_not() {
    check_parts(Task::Merge, Whole::Place, kills());
}

#[test]
fn a_killed_decay_leaves_every_place_faded_or_not() {
    check_parts(Task::Decay, Whole::Place, kills());
}

#[test]
fn a_killed_reflection_leaves_every_week_told_or_not() {
    check_parts(Task::Reflect, Whole::Place, kills());
}

#[test]
fn a_killed_expiry_leaves_every_memory_there_or_gone() {
    // Removing many takes a while.
    check_parts(Task::Expire, Whole::Memory, kills().div_ceil(2));
}

#[test]
fn a_killed_undo_leaves_the_job_done_or_undone() {
    check(Task::Undo, Whole::Store, kills(), |figures| figures.untouched > 0);
}

/// Without this one, the tests above might pass because they see nothing.
#[test]
fn a_job_that_commits_step_by_step_is_seen_to_be_torn() {
    let trial = Trial::new(Task::Consolidate, Whole::Place);
    let (mut random, mut torn) = (Rng::new(), 0);
    for _ in 0..5 {
        let Copied { path, _folder } = trial.copy();
        trial.kill(&path, &mut random, &["--torn"]);
        let state = read(&path, trial.whole);
        torn += state::compare(&state, &trial.before, &trial.after).2.len();
    }
    assert!(torn > 0, "every place was whole after five kills of a job that is not");
}
