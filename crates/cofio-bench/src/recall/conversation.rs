//! From the messages of a dataset to memories, and back from hits to messages.

use std::collections::HashMap;

use anyhow::{Context as _, Result, ensure};
use cofio::Engine;
use cofio::ingest::{Level, redact};
use cofio::model::{
    Caller, Channel, Draft, Identifier, Kind, MemoryId, Metadata, Scope, Source, Timestamp,
};
use cofio::text::fold;
use pollster::block_on;
use serde::Serialize;

use super::dataset::{Message, Namespace};

/// How many messages are remembered with one request.
const BATCH: usize = 100;

/// A namespace in the store.
pub struct Conversation {
    /// Whose memories its messages are.
    pub user: Identifier,
    messages: HashMap<String, usize>,
    memories: HashMap<MemoryId, usize>,
    sessions: Vec<usize>,
}

/// What could not be remembered as it was.
#[derive(Debug, Default, Serialize)]
pub struct Altered {
    /// Messages longer than a memory may be, cut at the limit.
    pub messages_cut: usize,
    /// Messages without a character to remember.
    pub messages_empty: usize,
    /// Messages that came again under the same id.
    pub messages_repeated: usize,
    /// Questions longer than a query may be, cut at the limit.
    pub questions_cut: usize,
}

impl Conversation {
    /// Remembers the messages in their order; calls `done` with how many after each request.
    ///
    /// The mapping, which takes nothing from one field into another:
    ///
    /// - namespace: the user of a scope of its own, and the caller;
    /// - text: the content of an episode;
    /// - id: the message of the source, so that the same words said twice stay two memories;
    /// - session, role: session and role of the source; speaker: the author;
    /// - role: also the channel, and so the trust: the assistant and others are not the owner;
    /// - time: when it happened. A message without a time has that of the message before it in
    ///   its session, or else of the first after it; in a session without any time nothing is
    ///   said, and the engine takes the moment of writing. Equal times keep the order of the
    ///   file, because ids grow within and between requests.
    pub fn remember(
        engine: &Engine,
        namespace: &Namespace,
        altered: &mut Altered,
        done: impl Fn(usize),
    ) -> Result<Self> {
        let user = identifier(&namespace.name, || format!("line-{}", namespace.line));
        let caller = Caller::local(user.clone());
        let sessions = sessions(&namespace.messages);
        let limit = engine.config().limits.content_bytes;
        let drafts = drafts(namespace, &Scope::user(user.clone()), &sessions, limit, altered);
        altered.messages_repeated += namespace.repeated;
        let mut memories = HashMap::with_capacity(drafts.len());
        for batch in drafts.chunks(BATCH) {
            let (places, batch): (Vec<usize>, Vec<Draft>) = batch.iter().cloned().unzip();
            let count = batch.len();
            let remembered = block_on(engine.remember_all(&caller, batch))
                .with_context(|| format!("namespace {:?}", namespace.name))?;
            ensure!(remembered.iter().all(|one| !one.existing), "two messages became one memory");
            memories.extend(remembered.into_iter().map(|one| one.memory.id).zip(places));
            done(count);
        }
        let name = |&place: &usize| (namespace.messages[place].id.clone(), place);
        let messages = memories.values().map(name).collect();
        Ok(Self { user, messages, memories, sessions })
    }

    /// Returns the place of a message in its namespace.
    pub fn message(&self, id: &str) -> Option<usize> {
        self.messages.get(id).copied()
    }

    /// Returns the place of the message that a memory came from.
    pub fn origin(&self, memory: &MemoryId) -> Option<usize> {
        self.memories.get(memory).copied()
    }

    /// Returns the number of the session that a message is in.
    pub fn session(&self, message: usize) -> usize {
        self.sessions[message]
    }
}

/// Makes a draft of every message that says something, each with the message's place.
fn drafts(
    namespace: &Namespace,
    scope: &Scope,
    sessions: &[usize],
    limit: usize,
    altered: &mut Altered,
) -> Vec<(usize, Draft)> {
    let times = times(&namespace.messages, sessions);
    let mut drafts = Vec::with_capacity(namespace.messages.len());
    for (place, message) in namespace.messages.iter().enumerate() {
        if fold(&message.text).trim().is_empty() {
            altered.messages_empty += 1;
            continue;
        }
        let text = cut(&message.text, limit);
        altered.messages_cut += usize::from(text.len() < message.text.len());
        let source = source(message, sessions[place]);
        drafts.push((
            place,
            Draft {
                metadata: Metadata { author: message.speaker.clone(), ..Metadata::default() },
                event_at: times[place],
                ..Draft::new(scope.clone(), Kind::Episode, text, source)
            },
        ));
    }
    drafts
}

fn source(message: &Message, session: usize) -> Source {
    let channel = match message.role.as_deref() {
        None | Some("user" | "human" | "owner") => Channel::OwnerMessage,
        Some("tool" | "function") => Channel::ToolRead,
        Some(_) => Channel::OtherMessage,
    };
    let name = |raw: &String| identifier(raw, || format!("session-{session}"));
    let mut source = Source::through(channel);
    source.session = message.session.as_ref().map(name);
    source.message = Some(message.id.clone());
    source.role.clone_from(&message.role);
    source
}

/// Returns the number of each message's session; a message without one is one of its own.
fn sessions(messages: &[Message]) -> Vec<usize> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut alone = messages.len()..;
    let mut all = Vec::with_capacity(messages.len());
    for message in messages {
        let fresh = numbers.len();
        all.push(match &message.session {
            Some(name) => *numbers.entry(name).or_insert(fresh),
            None => alone.next().expect("numbers do not end"),
        });
    }
    all
}

/// Returns when each message was said, as far as its session tells.
fn times(messages: &[Message], sessions: &[usize]) -> Vec<Option<Timestamp>> {
    let mut latest: HashMap<usize, Timestamp> = HashMap::new();
    for (message, &session) in messages.iter().zip(sessions).rev() {
        // Going backwards, what remains is the first time of each session.
        if let Some(time) = message.time {
            latest.insert(session, time);
        }
    }
    let time = |(message, session): (&Message, &usize)| {
        if let Some(time) = message.time {
            latest.insert(*session, time);
        }
        latest.get(session).copied()
    };
    messages.iter().zip(sessions).map(time).collect()
}

/// Takes a name as it is, unless the engine would refuse it.
fn identifier(raw: &str, otherwise: impl Fn() -> String) -> Identifier {
    let harmless =
        |name: &Identifier| redact(name.as_str(), "", Level::Probable).redactions.is_empty();
    let named = Identifier::new(raw.trim()).ok().filter(harmless);
    named.unwrap_or_else(|| Identifier::new(&otherwise()).expect("letters, a dash and a number"))
}

/// Cuts a text to so many bytes, not within a character.
pub fn cut(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_times(messages: &[(Option<&str>, Option<i64>)], expected: &[Option<i64>]) {
        let message = |&(session, second): &(Option<&str>, Option<i64>)| Message {
            session: session.map(ToOwned::to_owned),
            time: second.map(|second| Timestamp::from_second(second).unwrap()),
            ..Message::default()
        };
        let messages: Vec<Message> = messages.iter().map(message).collect();
        let times = times(&messages, &sessions(&messages));
        let seconds: Vec<_> = times.iter().map(|time| time.map(Timestamp::as_second)).collect();
        assert_eq!(seconds, expected, "{messages:?}");
    }

    #[test]
    fn a_message_without_a_time_has_that_of_its_neighbour_in_the_session() {
        let a = Some("a");
        check_times(
            &[(a, None), (a, Some(5)), (Some("b"), None), (a, None), (a, Some(9)), (a, None)],
            &[Some(5), Some(5), None, Some(5), Some(9), Some(9)],
        );
        check_times(&[(None, Some(1)), (None, None)], &[Some(1), None]);
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut("aé", 2), "a");
        assert_eq!(cut("aé", 3), "aé");
        assert_eq!(cut("aé", 9), "aé");
    }

    #[test]
    fn a_name_that_the_engine_would_refuse_is_replaced() {
        assert_eq!(identifier("conv-26", || "line-1".to_owned()).as_str(), "conv-26");
        assert_eq!(identifier("a\u{200b}b", || "line-1".to_owned()).as_str(), "line-1");
    }
}
