//! Makes conversations out of a life: news among questions, small talk, pages and quotations.

use std::collections::VecDeque;

use fastrand::Rng;
use jiff::ToSpan as _;
use jiff::civil::Date;

use super::aspect::{ASPECTS, About, Aspect};
use super::conversation::{FIRST_DAY, Session, Speaker, Turn, User};
use super::life::{Agenda, Happening, agenda};
use super::truth::{Decoy, DecoyKind, Place, Statement};
use super::vocabulary::{entries, fill, fill_with};
use super::voice::{Voice, capitalised};
use cofio::model::Timestamp;

/// How many turns a session has.
const TURNS: std::ops::RangeInclusive<usize> = 4..=20;

/// How much news there is in a session at most.
const MOST_NEWS: usize = 3;

/// What decoys are about.
const DECOYS: [&str; 5] = ["home", "employer", "occupation", "possession", "allergy"];

/// Tells the life of one user.
pub struct Storyteller {
    pub(super) random: Rng,
    voice: Voice,
    /// What will happen.
    pub(super) agenda: Agenda,
    /// What has happened and was not told yet.
    pub(super) waiting: VecDeque<Happening>,
    /// The session that is going on.
    turns: Vec<Turn>,
    pub(super) user: User,
    days: usize,
}

impl Storyteller {
    /// Makes up a life of so many days.
    pub fn new(name: String, mut random: Rng, days: usize) -> Self {
        let voice = Voice::any(&mut random);
        let agenda = agenda(&mut random, days);
        let user = User { name, days: Vec::new(), statements: Vec::new(), decoys: Vec::new() };
        let (waiting, turns) = (VecDeque::new(), Vec::new());
        Self { random, voice, agenda, waiting, turns, user, days }
    }

    /// Tells all of it.
    pub fn tell_all(mut self) -> User {
        for day in 0..self.days {
            self.waiting.extend(self.agenda.remove(&day).unwrap_or_default());
            self.user.days.push(Vec::new());
            for number in 0..self.sessions_of_a_day() {
                self.tell_session(day, number);
            }
        }
        self.user
    }

    fn sessions_of_a_day(&mut self) -> usize {
        match self.random.u8(..100) {
            0..40 => 0,
            40..75 => 1,
            75..93 => 2,
            _ => 3,
        }
    }

    fn tell_session(&mut self, day: usize, number: usize) {
        let began_at = self.beginning(day, number);
        let length = self.random.usize(TURNS);
        let mut news = 0;
        while self.turns.len() + 2 <= length {
            let room = length - self.turns.len();
            let told = news < MOST_NEWS && self.random.f64() < 0.6 && self.tell_news();
            news += usize::from(told);
            if !told {
                self.chat(room);
            }
        }
        let turns = std::mem::take(&mut self.turns);
        if let Some(sessions) = self.user.days.last_mut() {
            sessions.push(Session { began_at, turns });
        }
    }

    /// Returns when a session begins: in the morning, the afternoon or the evening.
    fn beginning(&mut self, day: usize, number: usize) -> Timestamp {
        let minute = 7 * 60 + number * 5 * 60 + self.random.usize(..4 * 60);
        let span = i64::try_from(minute).unwrap_or_default().minutes();
        let midnight = day_of_year(day).at(0, 0, 0, 0);
        let moment = midnight.saturating_add(span);
        jiff::tz::Offset::UTC.to_timestamp(moment).unwrap_or(Timestamp::MAX)
    }

    /// Says something that tells nothing new of the user.
    fn chat(&mut self, room: usize) {
        let page_fits = room == 3 || room > 4;
        match self.random.u8(..100) {
            0..8 if self.mention().is_some() => {}
            8..10 => self.quote(),
            10..11 if page_fits => self.read_page(|this| this.decoy("poison", DecoyKind::Page)),
            11..15 if page_fits => self.read_page(|this| this.improvise("harmless pages")),
            15..45 => self.exchange("questions"),
            45..74 => self.exchange("tasks"),
            _ => self.exchange("small talk"),
        }
    }

    fn exchange(&mut self, heading: &str) {
        let text = self.improvise(heading);
        self.say_as_user(&text);
        let mistaken = self.random.u8(..100) == 0;
        if mistaken { self.be_mistaken() } else { self.answer() }
    }

    fn answer(&mut self) {
        let answer = self.improvise("answers");
        self.say(Speaker::Assistant, answer);
    }

    fn be_mistaken(&mut self) {
        let text = self.decoy("mistaken", DecoyKind::Mistake);
        self.say(Speaker::Assistant, text);
    }

    fn quote(&mut self) {
        let text = self.decoy("quoted", DecoyKind::Quotation);
        self.say_as_user(&text);
        self.answer();
    }

    fn read_page(&mut self, page: impl FnOnce(&mut Self) -> String) {
        let request = self.pick("page requests");
        self.say_as_user(request);
        let page = page(self);
        self.say(Speaker::Page, page);
        self.answer();
    }

    /// Makes something up that is true of nobody, and puts it on record for the next turn.
    fn decoy(&mut self, heading: &str, kind: DecoyKind) -> String {
        let attribute = DECOYS[self.random.usize(..DECOYS.len())];
        let value = self.pick(&format!("false {attribute}"));
        let sentence = self.pick(&format!("{heading} {attribute}"));
        let place = self.here();
        self.user.decoys.push(Decoy { place, kind, attribute, value: value.to_owned() });
        capitalised(&fill(sentence, &[("value", value)]))
    }

    /// Speaks of something that was told before and holds.
    fn mention(&mut self) -> Option<()> {
        let day = self.here().day;
        let can_be = |statement: &Statement| {
            statement.holds_on(day)
                && aspect_of(statement).is_some_and(|(_, again)| !again.is_empty())
        };
        let held: Vec<usize> = (0..self.user.statements.len())
            .filter(|&index| can_be(&self.user.statements[index]))
            .collect();
        let index = *self.random.choice(&held)?;
        let place = self.here();
        let statement = &mut self.user.statements[index];
        let (aspect, sentences) = aspect_of(statement)?;
        statement.mentioned.push(place);
        let words = [
            ("value", statement.value.as_str()),
            ("extra", &statement.extra),
            ("subject", &statement.subject),
            ("noun", aspect.noun),
        ];
        let text = capitalised(&fill(self.random.choice(sentences)?, &words));
        self.say_as_user(&text);
        self.answer();
        Some(())
    }

    pub(super) fn say_as_user(&mut self, text: &str) {
        let text = self.voice.write(text);
        self.say(Speaker::User, text);
    }

    pub(super) fn say(&mut self, speaker: Speaker, text: String) {
        self.turns.push(Turn { speaker, text });
    }

    /// Returns where the next turn will be.
    pub(super) fn here(&self) -> Place {
        let day = self.user.days.len().saturating_sub(1);
        let session = self.user.days.last().map_or(0, Vec::len);
        Place { day, session, turn: self.turns.len() }
    }

    /// Picks a sentence, and for each place in it an entry of the heading that the place names.
    fn improvise(&mut self, heading: &str) -> String {
        let sentence = self.pick(heading);
        capitalised(&fill_with(sentence, |name| self.pick(name)))
    }

    pub(super) fn pick(&mut self, heading: &str) -> &'static str {
        self.random.choice(entries(heading)).copied().unwrap_or_default()
    }
}

/// Returns the aspect of a statement, and how it can be mentioned.
fn aspect_of(statement: &Statement) -> Option<(&'static Aspect, &'static [&'static str])> {
    let about_user = statement.subject == "user";
    let aspect = ASPECTS.iter().find(|aspect| {
        aspect.attribute == statement.attribute && (aspect.about == About::User) == about_user
    })?;
    Some((aspect, entries(&format!("{} again", aspect.sayings))))
}

/// Returns the date of a day, counted from 0.
pub(super) fn day_of_year(day: usize) -> Date {
    FIRST_DAY.saturating_add(i64::try_from(day).unwrap_or(i64::MAX / 2).min(10_000).days())
}
