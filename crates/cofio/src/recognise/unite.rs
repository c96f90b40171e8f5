//! Bringing the spellings of one name together.

use std::collections::HashMap;

use super::spelling::{untitled, without_legal_form, without_possessive};
use crate::model::{EntityType, Mention};
use crate::text::fold;

/// Gives mentions of the same thing the same name; each spelling is kept once, as an alias.
///
/// - `@alice`, `Alice`, `alice's` and `ALICE` are one person, called as she is in plain writing.
/// - `Caroline` is `Caroline Herschel` if that is the only person of the text, or of `known`, who
///   is called so; two of them keep it apart, as nobody can say who is meant.
/// - `Acme Inc.` and `Acme` are one organisation; `Dr. Smith` and `Smith` one person.
///
/// - What was an alias of one known name alone is that name again.
///
/// Names of `known` win over those of `found`, so that what was called so before stays so.
pub fn unite(found: &[Mention], known: &[Mention]) -> Vec<Mention> {
    let found: Vec<Mention> = found.iter().filter_map(bare).collect();
    let names = Names::new(known, &found);
    let mut united: Vec<Mention> = Vec::with_capacity(found.len());
    for mention in found {
        let mention = Mention { name: names.canonical(&mention), ..mention };
        if !united.contains(&mention) {
            united.push(mention);
        }
    }
    united
}

/// Takes from a name what only stands around it; the alias keeps all but the possessive.
fn bare(mention: &Mention) -> Option<Mention> {
    let alias = without_possessive(mention.alias.trim());
    let name = alias.trim_start_matches(['@', '#']);
    let name = match mention.entity_type {
        EntityType::Person => untitled(name),
        _ => name,
    };
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then(|| Mention { name, alias: alias.to_owned(), ..*mention })
}

/// The names that things are called by.
#[derive(Default)]
struct Names {
    /// The spelling to use, by type and folded name.
    spellings: HashMap<(EntityType, String), String>,
    /// The names that a spelling was known to stand for, by type and folded spelling.
    known: HashMap<(EntityType, String), Vec<String>>,
    /// The full names of people that a word of theirs may stand for, by the folded word.
    people: HashMap<String, Vec<String>>,
}

impl Names {
    fn new(known: &[Mention], found: &[Mention]) -> Self {
        let mut names = Self::default();
        for mention in known {
            names.learn(mention);
        }
        let mut new: HashMap<(EntityType, String), &str> = HashMap::new();
        for mention in found.iter().filter(|mention| !names.spellings.contains_key(&key(mention))) {
            let spelling = new.entry(key(mention)).or_default();
            let plainness = |name| plainness(name, mention.entity_type);
            if plainness(&mention.name) > plainness(spelling) {
                *spelling = &mention.name;
            }
        }
        let new = new.into_iter().map(|(key, spelling)| (key, spelling.to_owned()));
        names.spellings.extend(new);
        names.index_people();
        names
    }

    fn learn(&mut self, mention: &Mention) {
        self.spellings.entry(key(mention)).or_insert_with(|| mention.name.clone());
        let Some(alias) = bare(mention) else { return };
        let meant = self.known.entry(key(&alias)).or_default();
        if !meant.iter().any(|name| fold(name) == fold(&mention.name)) {
            meant.push(mention.name.clone());
        }
    }

    fn index_people(&mut self) {
        for ((entity_type, folded), spelling) in &self.spellings {
            let words: Vec<&str> = folded.split(' ').collect();
            if let (EntityType::Person, [first, .., last]) = (entity_type, &words[..]) {
                for word in [first, last] {
                    self.people.entry((*word).to_owned()).or_default().push(spelling.clone());
                }
            }
        }
    }

    fn canonical(&self, mention: &Mention) -> String {
        let key = key(mention);
        if let Some([name]) = self.known.get(&key).map(Vec::as_slice) {
            return name.clone();
        }
        let called_so = self.people.get(&key.1).map(Vec::as_slice);
        if let (EntityType::Person, Some([full])) = (mention.entity_type, called_so) {
            return full.clone();
        }
        self.spellings.get(&key).unwrap_or(&mention.name).clone()
    }
}

/// Returns what is the same for all spellings of a name.
fn key(mention: &Mention) -> (EntityType, String) {
    let name = match mention.entity_type {
        EntityType::Organization => without_legal_form(&mention.name),
        _ => &mention.name,
    };
    (mention.entity_type, fold(name))
}

/// Returns how much a spelling is like plain writing: "Alice" more than "ALICE", that more than
/// "alice"; of organisations the longer name says more.
fn plainness(name: &str, entity_type: EntityType) -> (usize, usize) {
    let letters = || name.chars().filter(|c| c.is_alphabetic());
    let case = match (letters().any(char::is_uppercase), letters().any(char::is_lowercase)) {
        (true, true) => 3,
        (true, false) => 2,
        (false, _) => usize::from(!name.is_empty()),
    };
    let length = if entity_type == EntityType::Organization { name.len() } else { 0 };
    (case, length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use EntityType::{Organization, Person};

    fn mention(alias: &str, entity_type: EntityType) -> Mention {
        Mention { name: alias.to_owned(), entity_type, alias: alias.to_owned() }
    }

    /// Checks what spellings are called, if some names are known before.
    fn check_with(known: &[&str], entity_type: EntityType, expected: &[(&str, &str)]) {
        let found: Vec<_> = expected.iter().map(|(alias, _)| mention(alias, entity_type)).collect();
        let known: Vec<_> = known.iter().map(|name| mention(name, entity_type)).collect();
        let united = unite(&found, &known);
        let united: Vec<_> =
            united.iter().map(|mention| (mention.alias.as_str(), mention.name.as_str())).collect();
        let expected: Vec<_> =
            expected.iter().map(|(alias, name)| (without_possessive(alias), *name)).collect();
        assert_eq!(united, expected);
    }

    fn check(entity_type: EntityType, expected: &[(&str, &str)]) {
        check_with(&[], entity_type, expected);
    }

    #[test]
    fn handles_casing_and_possessives_are_spellings_of_one_name() {
        check(
            Person,
            &[("@alice", "Alice"), ("ALICE", "Alice"), ("Alice's", "Alice"), ("alice", "Alice")],
        );
        check(Person, &[("Dr. Smith", "Smith"), ("Smith", "Smith")]);
        check(Person, &[("@bob", "bob")]);
    }

    #[test]
    fn a_part_of_a_name_stands_for_the_one_person_who_has_it() {
        check(
            Person,
            &[
                ("Caroline", "Caroline Herschel"),
                ("Caroline Herschel", "Caroline Herschel"),
                ("Ms. Herschel", "Caroline Herschel"),
                ("@caroline", "Caroline Herschel"),
            ],
        );
        check_with(&["Caroline Herschel"], Person, &[("Caroline’s", "Caroline Herschel")]);
    }

    #[test]
    fn a_name_that_two_people_have_stands_for_neither() {
        check(
            Person,
            &[
                ("Caroline", "Caroline"),
                ("Caroline Herschel", "Caroline Herschel"),
                ("Caroline Smith", "Caroline Smith"),
            ],
        );
        let known = ["William Herschel", "Caroline Herschel"];
        check_with(&known, Person, &[("Herschel", "Herschel"), ("William", "William Herschel")]);
    }

    #[test]
    fn a_known_alias_stands_for_its_one_name() {
        let known = |name: &str| Mention { name: name.to_owned(), ..mention("Bobby", Person) };
        let name = |known: &[Mention]| unite(&[mention("bobby", Person)], known)[0].name.clone();
        assert_eq!(name(&[known("Robert Frost")]), "Robert Frost");
        assert_eq!(name(&[known("Robert Frost"), known("Robert Burns")]), "bobby");
    }

    #[test]
    fn only_people_are_called_by_a_part_of_their_name() {
        check(Organization, &[("Bank", "Bank"), ("Bank Austria", "Bank Austria")]);
    }

    #[test]
    fn an_organisation_is_the_same_with_its_legal_form() {
        check(Organization, &[("Acme", "Acme Inc."), ("Acme Inc.", "Acme Inc.")]);
        check_with(&["Acme"], Organization, &[("ACME GmbH", "Acme")]);
    }

    #[test]
    fn the_same_spelling_is_kept_once() {
        let found = [mention("Alice", Person), mention("Alice's", Person)];
        assert_eq!(unite(&found, &[]), [mention("Alice", Person)]);
    }

    #[test]
    fn what_is_only_a_mark_names_nothing() {
        assert_eq!(unite(&[mention("@", Person), mention(" ", Person)], &[]), []);
    }
}
