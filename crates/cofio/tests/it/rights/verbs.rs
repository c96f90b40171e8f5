//! Every verb of the engine that names a caller, with the rights it takes.

use std::path::Path;
use std::time::Duration;

use Right::{Admin, Delete, Read, Write};
use cofio::engine::{
    Assignment, ConflictMode, ContextRequest, ForgetReason, Forgetting, Importing, ListRequest,
    Sweep, Syncing, Undoing,
};
use cofio::files::Mirror;
use cofio::files::mirror::Layout;
use cofio::lifecycle::schedule::Timetable;
use cofio::model::{
    Bound, Caller, Channel, Confirmation, Correction, Doubt, Draft, JobId, KeyDraft, KeyId, Layer,
    MemoryId, Patch, Right, Rights, Scope, Source, Task, Trust,
};
use cofio::store::Entries;
use cofio::{Engine, Query, Result, Selection};
use jiff::tz::TimeZone;
use pollster::block_on;
use tempfile::TempDir;

use super::engine;
use crate::fixture::{START, fact, identifiers, keeper, named};

/// A verb: its name, the rights it takes, and how it is used.
type Verb = (&'static str, &'static [Right], fn(&World, &Caller) -> Result<()>);

/// A store with something of everything.
pub struct World {
    engine: Engine,
    known: MemoryId,
    waiting: MemoryId,
    archived: MemoryId,
    key: KeyId,
    job: JobId,
    bundle: Vec<u8>,
    folder: TempDir,
}

const WAITING: &str = "the ferry sails at nine";

impl World {
    pub fn new() -> Self {
        let engine = engine();
        let remember =
            |draft: Draft| block_on(engine.remember(&keeper(), draft)).unwrap().memory.id;
        let of_bob = remember(fact("bob", "Bob plays the organ"));
        let mut bundle = Vec::new();
        block_on(engine.export(&keeper(), &mut bundle, |_| {})).unwrap();
        block_on(engine.forget(&keeper(), &[of_bob])).unwrap();
        let known = remember(Draft { key: Some("door".to_owned()), ..fact("alice", "@bob rings") });
        let archived = remember(fact("alice", "The bridge is closed"));
        block_on(engine.archive(&keeper(), &archived)).unwrap();
        let mut web = Source::through(Channel::WebFetch);
        web.reference = Some("https://x.example".to_owned());
        let waiting = remember(Draft { source: web, ..fact("alice", WAITING) });
        let draft =
            KeyDraft { rights: Rights::of(&[Admin]), ..KeyDraft::new("k", Bound::default()) };
        let (key, _) = block_on(engine.create_key(&keeper(), draft, [1; 32])).unwrap();
        block_on(engine.push_turn(&keeper(), &talk(), "user", "hello", said())).unwrap();
        block_on(engine.set_context(&keeper(), alice(), "task", "tidy up", said())).unwrap();
        let job = block_on(engine.maintain(&keeper(), &fading(), &|_, _| {})).unwrap().id;
        let folder = tempfile::tempdir().unwrap();
        Self { engine, known, waiting, archived, key: key.id, job, bundle, folder }
    }

    fn mirror(&self) -> Mirror {
        let [files, notes] = ["files", "notes"].map(|name| self.folder.path().join(name));
        Mirror::open(&files, &notes, Layout::Scope(alice())).unwrap()
    }
}

fn said() -> Source {
    Source::through(Channel::ExplicitSave)
}

fn fading() -> Assignment {
    Assignment::of(Task::Decay)
}

fn nightly() -> Timetable {
    Timetable::new([(Task::Expire, "* * * * *")], &TimeZone::UTC, "store").unwrap()
}

fn alice() -> Scope {
    Scope::user(named("alice"))
}

fn talk() -> Scope {
    let names = identifiers(&[(Layer::User, "alice"), (Layer::Session, "s1")]);
    Scope::new(Layer::Session, &names).unwrap()
}

fn mine() -> Selection {
    Selection::new(identifiers(&[(Layer::User, "alice")]))
}

fn patch() -> Patch {
    Patch { content: Some("@bob rings twice".to_owned()), ..Patch::default() }
}

fn importing() -> Importing {
    let (on_conflict, doubt) = (ConflictMode::Skip, Doubt::Keep);
    Importing { on_conflict, trusted_at_most: Trust::High, doubt, dry_run: false }
}

/// Lets a caller use a verb, and drops what comes of it.
macro_rules! verb {
    ($name:ident, $needs:expr, |$world:ident, $caller:ident| ($($argument:expr),*)) => {
        (stringify!($name), $needs, |$world, $caller| {
            block_on($world.engine.$name($caller, $($argument),*)).map(drop)
        })
    };
}

pub const ALL: &[Verb] = &[
    verb!(get, &[Read], |world, caller| (&world.known)),
    verb!(list, &[Read], |world, caller| (&ListRequest::new(mine()))),
    verb!(plan_facts, &[Read, Write], |world, caller| (&alice(), &[], &[], world.engine.now())),
    verb!(list_all, &[Read], |world, caller| (&mine())),
    verb!(matching, &[Read], |world, caller| (&mine())),
    verb!(matching_outlines, &[Read], |world, caller| (&mine())),
    verb!(from_source, &[Read], |world, caller| ("https://x.example")),
    verb!(search, &[Read], |world, caller| (&Query::new(mine(), "bob"))),
    verb!(why_not, &[Read], |world, caller| (&Query::new(mine(), "bob"), &world.known)),
    verb!(context, &[Read], |world, caller| (&ContextRequest::new(mine(), "bob"))),
    verb!(get_context, &[Read], |world, caller| (mine(), "task")),
    verb!(history, &[Read], |world, caller| (&world.known)),
    verb!(stats, &[Read], |world, caller| (None)),
    verb!(scopes, &[Read], |world, caller| ()),
    verb!(entities, &[Read], |world, caller| (&[alice()], 10)),
    verb!(entity, &[Read], |world, caller| (&[alice()], "bob", 10)),
    verb!(plan_names, &[Read], |world, caller| (&alice(), &[], world.engine.now())),
    verb!(changes, &[Read], |world, caller| (0, 10)),
    verb!(audit, &[Read], |world, caller| (Entries::Latest, 10)),
    verb!(export, &[Read], |world, caller| (Vec::new(), |_| {})),
    verb!(exporting, &[Read], |world, caller| ()),
    verb!(follow, &[Read], |world, caller| (Vec::new())),
    verb!(sessions, &[Read], |world, caller| (10, None)),
    verb!(brief, &[Read], |world, caller| (&[alice()], START.parse().unwrap())),
    verb!(jobs, &[Read], |world, caller| (None, 10)),
    verb!(spending, &[Admin], |world, caller| (10)),
    verb!(job, &[Read], |world, caller| (&world.job)),
    verb!(would_undo, &[Read], |world, caller| (&world.job, Undoing::default())),
    verb!(would_maintain, &[Read, Write], |world, caller| (&fading(), &|_, _| {})),
    verb!(unread_turns, &[Read], |world, caller| (&[talk()], &named("s1"), 10)),
    verb!(mark_consolidated, &[Read, Write], |world, caller| (&[talk()], &named("s1"))),
    verb!(maintain, &[Read, Write], |world, caller| (&fading(), &|_, _| {})),
    verb!(maintain_due, &[Read, Write, Delete], |world, caller| (&nightly())),
    verb!(maintain_conversations, &[Read, Write], |world, caller| ()),
    verb!(undo, &[Read, Write, Delete], |world, caller| (&world.job, Undoing::default())),
    verb!(sync_files, &[Read, Write, Delete], |world, caller| (
        &world.mirror(),
        Syncing::default()
    )),
    verb!(rejections, &[Read], |world, caller| ()),
    verb!(window, &[Read], |world, caller| (&talk())),
    verb!(remember, &[Write], |world, caller| (fact("alice", "Alice has a boat"))),
    verb!(remember_all, &[Write], |world, caller| (vec![fact("alice", "Alice has a boat")])),
    verb!(remember_each, &[Write], |world, caller| (vec![fact("alice", "Alice has a boat")])),
    verb!(rehearse_each, &[Write], |world, caller| (vec![fact("alice", "Alice has a boat")])),
    verb!(check, &[Write], |world, caller| (&[fact("alice", "Alice has a boat")])),
    verb!(set_context, &[Write], |world, caller| (alice(), "task", "rest", said())),
    verb!(permit, &[Write], |world, caller| (&alice(), "what was never rejected")),
    verb!(import, &[Write], |world, caller| (&world.bundle[..], importing(), |_| {})),
    verb!(push_turn, &[Read, Write], |world, caller| (&talk(), "user", "and more", said())),
    verb!(update, &[Read, Write], |world, caller| (&world.known, patch())),
    verb!(update_all, &[Read, Write], |world, caller| (vec![(world.known.clone(), patch())])),
    verb!(correct, &[Read, Write], |world, caller| (
        &world.known,
        Correction::new("@bob knocks", said())
    )),
    verb!(confirm, &[Read, Write], |world, caller| (&world.known, &Confirmation::new(said()))),
    verb!(approve, &[Read, Write], |world, caller| (&world.waiting, WAITING)),
    verb!(archive, &[Read, Write], |world, caller| (&world.known)),
    verb!(bring_back, &[Read, Write], |world, caller| (&world.archived)),
    verb!(forget, &[Delete], |world, caller| (std::slice::from_ref(&world.known))),
    verb!(forget_chosen, &[Delete], |world, caller| (
        std::slice::from_ref(&world.known),
        ForgetReason::Topic
    )),
    verb!(would_forget, &[Delete], |world, caller| (&Forgetting::Ids(vec![world.known.clone()]))),
    verb!(sweep, &[Delete], |world, caller| (&Sweep::default())),
    verb!(sweep_agreed, &[Delete], |world, caller| (&Sweep::default())),
    verb!(forget_version, &[Read, Delete], |world, caller| (&world.known, 1)),
    verb!(forget_matching, &[Read, Delete], |world, caller| (&mine())),
    verb!(forget_source, &[Read, Delete], |world, caller| ("https://x.example")),
    verb!(clear_window, &[Read, Delete], |world, caller| (&talk())),
    verb!(reject, &[Read, Delete], |world, caller| (&world.waiting)),
    verb!(sweep_some, &[], |world, caller| ()),
    verb!(census, &[Admin], |world, caller| ()),
    verb!(verify_audit, &[Admin], |world, caller| ()),
    verb!(keys, &[Admin], |world, caller| ()),
    verb!(create_key, &[Admin], |world, caller| (
        KeyDraft { rights: Rights::of(&[Admin]), ..KeyDraft::new("k", Bound::default()) },
        [2; 32]
    )),
    verb!(revoke_key, &[Admin], |world, caller| (&world.key)),
    verb!(rotate_key, &[Admin], |world, caller| (&world.key, [3; 32], Duration::ZERO)),
];

/// Returns the names of all public functions of the engine that take a caller, in order.
pub fn public() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/engine");
    let mut names = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        for function in text.split("    pub async fn ").skip(1) {
            let signature = function.split('{').next().unwrap();
            if signature.contains("caller: &Caller") {
                let name = signature.split(['(', '<']).next().unwrap();
                names.push(name.to_owned());
            }
        }
    }
    names.sort_unstable();
    names
}
