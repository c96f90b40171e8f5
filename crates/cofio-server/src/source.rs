//! Where a text comes from that another program hands over.

use cofio::ingest;
use cofio::model::{Channel, Source};

/// Returns the source of a text that came through a channel, as the program says.
///
/// A text that gives orders to an assistant counts as a model's own conclusion, as nobody can tell
/// whether the user or a page had it kept.
pub(crate) fn through(channel: Channel, text: &str) -> Source {
    Source::through(if ingest::instructs(text) { Channel::Inference } else { channel })
}
