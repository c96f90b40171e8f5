//! Bringing the spellings of one name together.

use std::collections::{BTreeSet, HashMap};

use super::spelling::{untitled, without_legal_form, without_possessive};
use crate::model::{EntityType, Mention};
use crate::text::fold;

/// Gives mentions of the same thing the same name, as a [`Register`] of `known` names does.
pub fn unite(found: &[Mention], known: &[Mention]) -> Vec<Mention> {
    Register::new(known).unite(found)
}

/// The names by which things are known, and what else each is called.
#[derive(Debug, Default)]
pub struct Register {
    /// The spelling to use, by type and folded name.
    spellings: HashMap<Key, String>,
    /// The names that something written so was found to stand for, by type and folded spelling.
    aliases: HashMap<Key, BTreeSet<String>>,
    /// The full names of people that a word of theirs may stand for, folded, by the folded word.
    people: HashMap<String, BTreeSet<String>>,
    /// What is called so, by the folded name.
    types: HashMap<String, BTreeSet<EntityType>>,
}

/// What is the same for all spellings of a name.
type Key = (EntityType, String);

impl Register {
    /// Makes a register of names that are known; of two spellings of one name the first is used.
    pub fn new(known: &[Mention]) -> Self {
        let mut register = Self::default();
        for mention in known {
            register.learn(mention);
        }
        register
    }

    /// Adds a name and a way it is written.
    pub fn learn(&mut self, mention: &Mention) {
        let key = key(mention.entity_type, &mention.name);
        self.index(&key);
        self.spellings.entry(key).or_insert_with(|| mention.name.clone());
        if let Some(spelling) = bare(mention) {
            let spelling = self::key(mention.entity_type, &spelling);
            self.types.entry(spelling.1.clone()).or_default().insert(mention.entity_type);
            self.aliases.entry(spelling).or_default().insert(fold(&mention.name));
        }
    }

    /// Gives mentions of one text that are the same thing the same name; each spelling is kept
    /// once, as an alias.
    ///
    /// - `@alice`, `Alice`, `alice's` and `ALICE` are one person, called as she is in plain writing.
    /// - `Caroline` is `Caroline Herschel` if that is the only person of the text who is called so,
    ///   or of the register if the text has none; two of them keep it apart, as nobody can say who
    ///   is meant.
    /// - `Acme Inc.` and `Acme` are one organisation; `Dr. Smith` and `Smith` one person.
    /// - What was an alias of one known name alone is that name again.
    /// - What nothing tells the type of is what is known by that name, if that is one thing only.
    ///
    /// Spellings of the register win over those of the text, so that what was called so before
    /// stays so. A mention whose name was found out before keeps it.
    pub fn unite(&self, found: &[Mention]) -> Vec<Mention> {
        let found: Vec<Mention> = found.iter().filter_map(called).collect();
        let text = Self::of_text(&found);
        let mut united: Vec<Mention> = Vec::with_capacity(found.len());
        for mention in found {
            let entity_type = self.entity_type(&text, &mention);
            let name = self.name(&text, entity_type, &mention.name);
            let mention = Mention { name, entity_type, ..mention };
            if !united.contains(&mention) {
                united.push(mention);
            }
        }
        united
    }

    /// Returns everything else that a mention may stand for by what it is called; names are folded.
    pub fn candidates(&self, mention: &Mention) -> Vec<Mention> {
        let Some(mention) = called(mention) else { return Vec::new() };
        let own = (mention.entity_type, fold(&mention.name));
        let mut candidates: BTreeSet<Key> = BTreeSet::new();
        for entity_type in self.possible_types(&Self::default(), &mention) {
            let key = key(entity_type, &mention.name);
            let names = self.full_names(&key).into_iter();
            let names = names.chain(self.aliases.get(&key).into_iter().flatten().cloned());
            candidates.extend(names.map(|name| (entity_type, name)));
        }
        let others = candidates.into_iter().filter(|candidate| *candidate != own);
        let named = |(entity_type, name): Key| Mention { alias: name.clone(), name, entity_type };
        others.map(named).collect()
    }

    /// Makes a register of what one text names, in the plainest spelling of each.
    fn of_text(found: &[Mention]) -> Self {
        let mut text = Self::default();
        for mention in found {
            let key = key(mention.entity_type, &mention.name);
            text.index(&key);
            let spelling = text.spellings.entry(key).or_default();
            let plainness = |name| plainness(name, mention.entity_type);
            if plainness(&mention.name) > plainness(spelling) {
                spelling.clone_from(&mention.name);
            }
        }
        text
    }

    /// Adds what a name is found by.
    fn index(&mut self, (entity_type, folded): &Key) {
        self.types.entry(folded.clone()).or_default().insert(*entity_type);
        let words: Vec<&str> = folded.split(' ').collect();
        if let (EntityType::Person, [first, .., last]) = (entity_type, &words[..]) {
            for word in [first, last] {
                self.people.entry((*word).to_owned()).or_default().insert(folded.clone());
                self.types.entry((*word).to_owned()).or_default().insert(EntityType::Person);
            }
        }
    }

    /// Returns what something is, as far as its name tells where nothing else does.
    fn entity_type(&self, text: &Self, mention: &Mention) -> EntityType {
        let possible = self.possible_types(text, mention);
        let one = possible.first().filter(|_| possible.len() == 1);
        one.copied().unwrap_or(mention.entity_type)
    }

    /// Returns what something may be, by what else is called so.
    fn possible_types(&self, text: &Self, mention: &Mention) -> BTreeSet<EntityType> {
        // A hashtag is a topic, whatever it is called.
        if mention.entity_type != EntityType::Other || mention.alias.starts_with('#') {
            return [mention.entity_type].into();
        }
        let folded = fold(&mention.name);
        let types = [text, self].into_iter().filter_map(|names| names.types.get(&folded));
        types.flatten().copied().filter(|told| is_telling(*told)).collect()
    }

    fn name(&self, text: &Self, entity_type: EntityType, name: &str) -> String {
        let own = key(entity_type, name);
        let nearer = text.full_names(&own);
        let meant = if nearer.is_empty() { self.meant(&own) } else { nearer };
        // Of several, nobody can say which is meant.
        let one = meant.first().filter(|_| meant.len() == 1);
        let key = one.map_or_else(|| own.clone(), |folded| key(entity_type, folded));
        let known = [self, text].into_iter().find_map(|names| names.spellings.get(&key));
        known.cloned().unwrap_or_else(|| name.to_owned())
    }

    /// Returns the folded names, other than itself, that a name may stand for.
    fn meant(&self, own: &Key) -> BTreeSet<String> {
        let aliased = self.aliases.get(own).into_iter().flatten();
        let aliased = aliased.filter(|name| key(own.0, name) != *own).cloned();
        self.full_names(own).into_iter().chain(aliased).collect()
    }

    fn full_names(&self, (entity_type, folded): &Key) -> BTreeSet<String> {
        let people = self.people.get(folded).filter(|_| *entity_type == EntityType::Person);
        people.cloned().unwrap_or_default()
    }
}

/// Returns whether a type says more than that something has a name.
fn is_telling(entity_type: EntityType) -> bool {
    use EntityType::{Location, Organization, Person, Project};
    matches!(entity_type, Person | Project | Organization | Location)
}

/// Returns a mention under the name that its spelling has without what only stands around it; one
/// whose name is another was found out before, and stays.
fn called(mention: &Mention) -> Option<Mention> {
    let alias = without_possessive(mention.alias.trim()).to_owned();
    let bare = bare(mention);
    let is_spelt = |name: &str| fold(name) == fold(&mention.name);
    let found_out = !mention.name.trim().is_empty()
        && !is_spelt(mention.alias.trim())
        && !bare.as_deref().is_some_and(is_spelt);
    let name = if found_out { Some(mention.name.clone()) } else { bare };
    name.map(|name| Mention { name, alias, ..*mention })
}

/// Takes from a spelling what only stands around the name.
fn bare(mention: &Mention) -> Option<String> {
    let alias = without_possessive(mention.alias.trim());
    let name = alias.trim_start_matches(['@', '#']);
    let name = match mention.entity_type {
        EntityType::Person => untitled(name),
        _ => name,
    };
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(name).filter(|name| !name.is_empty())
}

fn key(entity_type: EntityType, name: &str) -> Key {
    let name = match entity_type {
        EntityType::Organization => without_legal_form(name),
        _ => name,
    };
    (entity_type, fold(name))
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
    use EntityType::{Location, Organization, Other, Person};

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
    fn a_full_name_in_the_text_goes_before_all_that_are_known() {
        let known = ["Caroline Smith", "Caroline Jones"];
        let text = [("Caroline Herschel", "Caroline Herschel"), ("Caroline", "Caroline Herschel")];
        check_with(&known, Person, &text);
        check_with(&known, Person, &[("Caroline", "Caroline")]);
    }

    #[test]
    fn a_part_of_a_name_that_was_known_before_the_full_one_belongs_to_it() {
        let handle = Mention { name: "caroline".to_owned(), ..mention("@caroline", Person) };
        let mut known = vec![handle.clone()];
        let name = |known: &[Mention]| unite(std::slice::from_ref(&handle), known)[0].name.clone();
        assert_eq!(name(&known), "caroline");
        known.push(mention("Caroline Herschel", Person));
        assert_eq!(name(&known), "Caroline Herschel");
        known.push(mention("Caroline Smith", Person));
        assert_eq!(name(&known), "caroline");
    }

    #[test]
    fn a_name_that_was_found_out_before_stays() {
        let known = [mention("Caroline Smith", Person), mention("Caroline Jones", Person)];
        let own = Mention { name: "Caroline Herschel".to_owned(), ..mention("Caroline", Person) };
        assert_eq!(unite(std::slice::from_ref(&own), &known), std::slice::from_ref(&own));
    }

    #[test]
    fn what_nothing_tells_the_type_of_is_what_is_known_by_that_name() {
        let type_of = |alias: &str, known: &[Mention]| {
            let united = unite(&[mention(alias, Other)], known);
            (united[0].name.clone(), united[0].entity_type)
        };
        let (hilton, city) = (mention("Paris Hilton", Person), mention("Paris", Location));
        let check = |alias: &str, known: &[Mention], name: &str, expected: EntityType| {
            assert_eq!(type_of(alias, known), (name.to_owned(), expected));
        };
        check("Paris", &[], "Paris", Other);
        check("Paris", std::slice::from_ref(&city), "Paris", Location);
        check("Paris", std::slice::from_ref(&hilton), "Paris Hilton", Person);
        check("Paris", &[city.clone(), hilton], "Paris", Other);
        check("#paris", &[city], "paris", Other);
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
