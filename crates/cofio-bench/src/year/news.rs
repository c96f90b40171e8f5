//! Tells the news of a life, and puts on record what is true from then on.

use super::aspect::{About, Aspect, Holds};
use super::conversation::Speaker;
use super::life::{Act, Happening};
use super::storyteller::{Storyteller, day_of_year};
use super::truth::{Ending, Statement};
use super::vocabulary::{entries, fill};
use super::voice::{capitalised, opened};

impl Storyteller {
    /// Tells what has waited longest, unless there is nothing that could be told.
    pub(super) fn tell_news(&mut self) -> bool {
        while let Some(happening) = self.waiting.pop_front() {
            if self.tell(happening).is_some() {
                return true;
            }
        }
        false
    }

    fn tell(&mut self, Happening { aspect, act }: Happening) -> Option<()> {
        match act {
            Act::LookBack(index) => self.look_back(aspect, index),
            Act::End => self.tell_end(aspect),
            Act::Begin | Act::Change => self.tell_value(aspect),
        }
    }

    /// Tells that something holds, in place of what held before if there can be one only.
    fn tell_value(&mut self, aspect: &'static Aspect) -> Option<()> {
        let told = self.here();
        let subject = self.subject(aspect)?;
        let value = self.unused(aspect)?;
        let extra = if aspect.extras.is_empty() { "" } else { self.pick(aspect.extras) };
        let ahead = (aspect.holds == Holds::UntilADay).then(|| self.random.usize(7..=60));
        let when = ahead.map(|ahead| self.when(told.day, ahead)).unwrap_or_default();
        let before = self.before(aspect, &subject);
        let act = if before.is_some() { "change" } else { "begin" };
        let sentence = self.pick(&format!("{} {act}", aspect.sayings));
        let old = before.map(|index| self.user.statements[index].value.clone()).unwrap_or_default();
        let words = [
            ("value", value),
            ("old", &old),
            ("extra", extra),
            ("subject", &subject),
            ("noun", aspect.noun),
            ("when", &when),
        ];
        self.tell_sentence(sentence, &words);
        if let Some(before) = before {
            self.user.statements[before].ending.get_or_insert(Ending::Told(told));
        }
        let (attribute, mentioned) = (aspect.attribute, Vec::new());
        let (value, extra) = (value.to_owned(), extra.to_owned());
        let ending = ahead.map(|ahead| Ending::Passed(told.day + ahead));
        let told = Statement { subject, attribute, value, extra, told, mentioned, ending };
        self.record(aspect, told);
        Some(())
    }

    /// Puts on record what was told; of some plans somebody asks how it went.
    fn record(&mut self, aspect: &'static Aspect, statement: Statement) {
        if let Some(Ending::Passed(day)) = statement.ending
            && self.random.bool()
        {
            let act = Act::LookBack(self.user.statements.len());
            let later = day + self.random.usize(1..=3);
            self.agenda.entry(later).or_default().push(Happening { aspect, act });
        }
        self.user.statements.push(statement);
    }

    fn tell_end(&mut self, aspect: &'static Aspect) -> Option<()> {
        let old = self.held(aspect)?;
        let place = self.here();
        let sentence = self.pick(&format!("{} end", aspect.sayings));
        self.tell_of(aspect, old, sentence);
        self.user.statements[old].ending = Some(Ending::Told(place));
        Some(())
    }

    /// Tells how something went that was planned, unless it was called off.
    fn look_back(&mut self, aspect: &'static Aspect, index: usize) -> Option<()> {
        let passed = matches!(self.user.statements[index].ending, Some(Ending::Passed(_)));
        let sentence = passed.then(|| self.pick(&format!("{} past", aspect.sayings)))?;
        self.tell_of(aspect, index, sentence);
        Some(())
    }

    /// Tells something of what held until now.
    fn tell_of(&mut self, aspect: &Aspect, index: usize, sentence: &str) {
        let Statement { value, extra, subject, .. } = self.user.statements[index].clone();
        let words = [
            ("value", value.as_str()),
            ("old", &value),
            ("extra", &extra),
            ("subject", &subject),
            ("noun", aspect.noun),
        ];
        self.tell_sentence(sentence, &words);
    }

    fn tell_sentence(&mut self, sentence: &str, words: &[(&str, &str)]) {
        let mut text = capitalised(&fill(sentence, words));
        if self.random.u8(..10) < 3 {
            text = opened(self.pick("openers"), sentence, &text);
        }
        if self.random.u8(..10) < 4 {
            text = format!("{text} {}", self.pick("closers"));
        }
        self.say_as_user(&text);
        let answer = fill(self.pick("answers to news"), words);
        self.say(Speaker::Assistant, capitalised(&answer));
    }

    /// Returns whom something is told of.
    fn subject(&mut self, aspect: &Aspect) -> Option<String> {
        if aspect.about == About::User {
            return Some("user".to_owned());
        }
        let day = self.here().day;
        let friends: Vec<&Statement> =
            self.user.holding(day).filter(|statement| statement.attribute == "friend").collect();
        Some(self.random.choice(friends)?.value.clone())
    }

    /// Returns the number of what was told last, where there can be one value only.
    fn before(&self, aspect: &Aspect, subject: &str) -> Option<usize> {
        let same = |told: &Statement| told.attribute == aspect.attribute && told.subject == subject;
        let before = self.user.statements.iter().rposition(same);
        before.filter(|_| aspect.holds == Holds::One)
    }

    /// Returns the number of a statement that holds.
    fn held(&mut self, aspect: &Aspect) -> Option<usize> {
        let day = self.here().day;
        let fits = |statement: &Statement| {
            statement.attribute == aspect.attribute
                && statement.holds_on(day)
                && (statement.subject == "user") == (aspect.about == About::User)
        };
        let statements = self.user.statements.iter().enumerate();
        let held: Vec<usize> =
            statements.filter(|(_, statement)| fits(statement)).map(|(index, _)| index).collect();
        self.random.choice(held)
    }

    /// Picks a value that was never spoken of in this life, or that ended if there is one only.
    fn unused(&mut self, aspect: &Aspect) -> Option<&'static str> {
        let values = entries(aspect.values);
        let used = |value: &str| self.user.statements.iter().any(|told| told.value == value);
        let unused: Vec<&str> = values.iter().copied().filter(|value| !used(value)).collect();
        let again = values.len() == 1 && self.held(aspect).is_none();
        if again { values.first().copied() } else { self.random.choice(unused) }
    }

    /// Says in words which day is so many days ahead.
    fn when(&mut self, day: usize, ahead: usize) -> String {
        let date = day_of_year(day + ahead);
        match self.random.u8(..4) {
            0 if ahead.is_multiple_of(7) && ahead > 7 => format!("in {} weeks", ahead / 7),
            0 => format!("in {ahead} days"),
            1 => date.strftime("on %-d %B").to_string(),
            2 => date.strftime("on %B %-d").to_string(),
            _ => date.strftime("on %A, %-d %B").to_string(),
        }
    }
}
