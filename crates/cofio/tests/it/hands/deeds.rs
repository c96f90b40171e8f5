//! What may happen at a desk.

use proptest::prelude::*;

/// The files that a person writes to.
pub const FILES: [&str; 4] = ["facts.md", "pets.md", "people/bob.md", "daily/2026-02-28.md"];

/// What an agent may say around a word, much of which looks like something else in a file.
pub const SAID: [&str; 16] = [
    "WORD harbour lamp",
    "WORD\n\nbeneath",
    "# WORD",
    "---\nstatus: WORD\n---",
    "- WORD\n- two",
    "<!-- cofio:fact_00000000000000000000000000000001 --> WORD",
    "WORD <!-- cofio:fact_00000000000000000000000000000001 -->",
    "```\nWORD",
    "    WORD as code",
    "> WORD",
    "1. WORD",
    "WORD\r\nbelow\r\n\r\n",
    "\u{feff}WORD",
    "WORD <!-- no end",
    "WORD\n===",
    "| WORD | b |\n|---|---|",
];

/// What a person may type around a word.
pub const TYPED: [&str; 6] = [
    "- WORD violin\n",
    "- WORD\n  beneath\n",
    "* WORD\n\n  after a blank line\n",
    "\nWORD is a paragraph\nof two lines\n\n",
    "\n```\nWORD is code\n```\n\n",
    "\n## A heading\n\n1. WORD\n",
];

/// One thing that happens; numbers choose among what is there.
#[derive(Debug, Clone)]
pub enum Deed {
    /// An agent remembers something.
    Remember { said: usize },
    /// An agent gives a memory another text.
    Edit { which: usize, said: usize },
    /// An agent forgets a memory.
    Forget { which: usize },
    /// A person types something into a file.
    Add { file: usize, before: usize, typed: usize },
    /// A person writes another word in the place of one.
    Change { which: usize },
    /// A person deletes an entry.
    Delete { which: usize },
    /// A person takes an entry out and puts it elsewhere.
    Move { which: usize, file: usize, before: usize },
    /// Somebody writes a file anew, without the comments behind its entries.
    LoseMarkers { file: usize },
    /// Files and store are brought together.
    Sync,
    /// The same, and the process ends when the store has changed and the files have not.
    SyncWithoutFiles,
    /// The same, and the process ends when both have changed, before that is noted.
    SyncWithoutNotes,
}

/// Returns lists of deeds, with syncs that are cut short or without.
pub fn deeds(cut_short: bool) -> impl Strategy<Value = Vec<Deed>> {
    let whole = prop_oneof![
        4 => agents(),
        6 => persons(),
        2 => Just(Deed::Sync),
    ];
    let cut = prop_oneof![Just(Deed::SyncWithoutFiles), Just(Deed::SyncWithoutNotes)];
    let deed = prop_oneof![8 => whole, u32::from(cut_short) => cut];
    prop::collection::vec(deed, 1..30)
}

fn agents() -> impl Strategy<Value = Deed> {
    let (which, said) = (0..64_usize, 0..SAID.len());
    prop_oneof![
        3 => said.clone().prop_map(|said| Deed::Remember { said }),
        2 => (which.clone(), said).prop_map(|(which, said)| Deed::Edit { which, said }),
        1 => which.prop_map(|which| Deed::Forget { which }),
    ]
}

fn persons() -> impl Strategy<Value = Deed> {
    let (which, file, before) = (0..64_usize, 0..FILES.len(), 0..64_usize);
    prop_oneof![
        3 => (file.clone(), before.clone(), 0..TYPED.len())
            .prop_map(|(file, before, typed)| Deed::Add { file, before, typed }),
        3 => which.clone().prop_map(|which| Deed::Change { which }),
        2 => which.clone().prop_map(|which| Deed::Delete { which }),
        2 => (which, file.clone(), before)
            .prop_map(|(which, file, before)| Deed::Move { which, file, before }),
        1 => file.prop_map(|file| Deed::LoseMarkers { file }),
    ]
}
