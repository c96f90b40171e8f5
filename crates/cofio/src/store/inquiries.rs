//! Inquiries that go on where others have come to.

use super::{Cued, Inquiry};
use crate::model::{Cues, Evidence, Place, Survey};

/// Asks for what is kept at places.
pub(crate) struct Chosen(pub(crate) Vec<Place>);

impl Inquiry for Chosen {
    fn words(&self) -> Option<&[String]> {
        None
    }

    fn cues(&mut self, _survey: &Survey) -> Cued {
        Cued::By(Cues::default())
    }

    fn choose(&mut self, _evidence: &Evidence) -> Vec<Place> {
        std::mem::take(&mut self.0)
    }
}

/// An inquiry that has said already by what it looks.
pub(crate) struct Resumed {
    inquiry: Box<dyn Inquiry>,
    cues: Option<Cues>,
}

impl Resumed {
    pub(crate) fn new(inquiry: Box<dyn Inquiry>, cues: Cues) -> Self {
        Self { inquiry, cues: Some(cues) }
    }
}

impl Inquiry for Resumed {
    fn words(&self) -> Option<&[String]> {
        None
    }

    fn cues(&mut self, _survey: &Survey) -> Cued {
        Cued::By(self.cues.take().unwrap_or_default())
    }

    fn choose(&mut self, evidence: &Evidence) -> Vec<Place> {
        self.inquiry.choose(evidence)
    }
}
