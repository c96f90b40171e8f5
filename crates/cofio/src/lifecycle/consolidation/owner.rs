use crate::lifecycle::extraction::SPEAKER;
use crate::model::{Layer, Memory, Scope, SourceType, Trust};
use crate::text::fold;

/// The names by which the user of a scope is known there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owner {
    /// As [`fold`] makes them; none if the scope is not one user's.
    names: Vec<String>,
}

impl Owner {
    /// Takes the names from a scope and from what its user said there.
    pub fn new(scope: &Scope, turns: &[Memory]) -> Self {
        let Some(user) = scope.identifiers().get(Layer::User) else { return Self::default() };
        let own = turns.iter().filter(|turn| turn.scope == *scope && is_own(turn));
        let names = own.filter_map(Memory::author).chain([user.as_str()]).map(fold);
        let mut names: Vec<String> = names.filter(|name| !name.trim().is_empty()).collect();
        names.sort();
        names.dedup();
        Self { names }
    }

    /// Returns whether the scope is one user's.
    pub fn is_known(&self) -> bool {
        !self.names.is_empty()
    }

    /// Returns a subject by the name that all names of the user have in common.
    pub fn subject(&self, subject: &str) -> String {
        let (whose, rest) = match subject.find("'s ") {
            Some(at) => subject.split_at(at),
            None => (subject, ""),
        };
        if self.is(whose) { format!("{SPEAKER}{rest}") } else { subject.to_owned() }
    }

    /// Returns a text about the user as they would say it.
    ///
    /// The verb stays as it is: what reads the text understands "I lives in Rome".
    pub fn first_person(&self, text: &str) -> Option<String> {
        let text = text.trim_start();
        let spaces = text.match_indices([' ', '\'', '’']).map(|(at, _)| at).take(6);
        let end = spaces.filter(|&end| self.is(without_article(&text[..end]))).last()?;
        let rest = &text[end..];
        let possessed = rest.strip_prefix("'s ").or_else(|| rest.strip_prefix("’s "));
        Some(possessed.map_or_else(|| format!("I{rest}"), |noun| format!("My {noun}")))
    }

    fn is(&self, name: &str) -> bool {
        let name = fold(name);
        name == SPEAKER || self.names.contains(&name)
    }
}

/// Returns whether the user said something themselves.
fn is_own(turn: &Memory) -> bool {
    let source = &turn.source;
    source.source_type == SourceType::Conversation
        && source.trust() == Trust::High
        && !source.from_external_content
        && !turn.said_by_assistant()
}

fn without_article(name: &str) -> &str {
    name.strip_prefix("The ").or_else(|| name.strip_prefix("the ")).unwrap_or(name)
}
