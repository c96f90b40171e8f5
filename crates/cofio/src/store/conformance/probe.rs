//! An inquiry that says beforehand what it wants, and tells afterwards what it was told.

use async_channel::{Receiver, Sender};

use crate::model::{Cues, Evidence, Place, Survey};
use crate::store::{Cued, Foreseen, Inquiry};

/// Asks for one thing at a time; the rest of an inquiry is as small as it can be.
pub(super) struct Probe {
    pub words: Option<Vec<String>>,
    pub cues: Option<Cues>,
    pub places: Vec<Place>,
    pub heard: Sender<Heard>,
}

/// What a store said to an inquiry.
#[derive(Debug)]
pub(super) enum Heard {
    Survey(Survey),
    Evidence(Evidence),
}

impl Probe {
    /// Asks for nothing, and returns where to hear what the store says all the same.
    pub fn new() -> (Self, Receiver<Heard>) {
        let (heard, hearing) = async_channel::unbounded();
        (Self { words: None, cues: None, places: Vec::new(), heard }, hearing)
    }

    fn tell(&self, heard: Heard) {
        self.heard.try_send(heard).expect("the case listens");
    }
}

impl Inquiry for Probe {
    fn words(&self) -> Option<&[String]> {
        self.words.as_deref()
    }

    fn cues(&mut self, survey: &Survey) -> Cued {
        self.tell(Heard::Survey(survey.clone()));
        self.cues.take().map_or_else(|| Cued::Later(Foreseen::default()), Cued::By)
    }

    fn choose(&mut self, evidence: &Evidence) -> Vec<Place> {
        self.tell(Heard::Evidence(evidence.clone()));
        std::mem::take(&mut self.places)
    }
}
