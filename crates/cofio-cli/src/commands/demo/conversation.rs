use cofio::model::Kind;
use cofio::model::Kind::{Episode, Fact};

/// Something said.
pub struct Turn {
    pub speaker: &'static str,
    pub kind: Kind,
    pub text: &'static str,
}

/// What is asked afterwards.
pub const QUESTIONS: &[&str] = &[
    "who has the key to the lamp room?",
    "what crashes in main.rs?",
    "what did we want from @ines?",
    "Großmutter und die Mandeln",
    "weather buoy key",
];

/// A conversation of our own; the key in it is the one from Amazon's documentation.
pub const TURNS: &[Turn] = &[
    nora(
        Episode,
        "The library in the lighthouse opens on 2026-09-12, and I promised cinnamon buns to everybody.",
    ),
    tomas(
        Episode,
        "Then we need flour. Ask @ines, she still owes us a favour for carrying the piano.",
    ),
    nora(Fact, "Ines has the only key to the lamp room."),
    tomas(
        Episode,
        "The catalogue crashes on books without an author. I left a note in src/main.rs.",
    ),
    nora(
        Episode,
        "Half of our sea shanties have no author! Please mend it before the opening. #catalogue",
    ),
    tomas(Fact, "Tomás must not eat walnuts."),
    nora(Episode, "No walnuts in the buns, then. Would almonds do?"),
    tomas(
        Episode,
        "Mandeln sind wunderbar! Meine Großmutter nahm immer doppelt so viele, wie im Rezept standen.",
    ),
    nora(Episode, "Your grandmother sounds like my kind of baker."),
    tomas(
        Episode,
        "The weather buoy answers again. Use the key AKIAIOSFODNN7EXAMPLE until you have one of your own.",
    ),
    nora(Fact, "The tide tables hang behind the door of the reading room."),
    tomas(Episode, "Captain Okafor lends us forty chairs, if somebody fetches them by boat."),
    nora(Episode, "I row, you steer. Like in Bergen, but with fewer swans."),
    tomas(Fact, "Lamp oil is ordered from harbour@example.org, two weeks ahead."),
];

const fn nora(kind: Kind, text: &'static str) -> Turn {
    Turn { speaker: "Nora", kind, text }
}

const fn tomas(kind: Kind, text: &'static str) -> Turn {
    Turn { speaker: "Tomás", kind, text }
}
