//! Who is asked afterwards what memories name, as far as models are here.

use std::sync::Arc;

use cofio::recognise::{Pipeline, Recogniser};
use cofio_adapters::models::{CATALOGUE, Model, Purpose};
use cofio_adapters::spacy::Deferred;

use crate::settings::Settings;

/// Returns the recognisers: the model if it is here, which is read when it is first needed, and a
/// guess by capitals otherwise.
pub fn chosen(settings: &Settings) -> Pipeline {
    // Without a folder for models there is no model.
    let path = settings.models_dir().ok().and_then(|folder| model()?.installed(folder));
    Pipeline::accurate(path.map(|path| Arc::new(Deferred::new(path)) as Arc<dyn Recogniser>))
}

/// Returns the model that finds names.
pub fn model() -> Option<&'static Model> {
    CATALOGUE.iter().find(|model| model.purpose == Purpose::Names)
}
