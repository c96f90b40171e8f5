//! An engine that lives through a year, day by day.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use cofio::lifecycle::schedule::{DEFAULTS, Timetable};
use cofio::model::{
    Caller, Channel, Criteria, Doubt, Draft, Identifier, Identifiers, JobState, Kind, Layer,
    MemoryId, Scope, Source, State, Task, Timestamp,
};
use cofio::store::{Durability, SqliteOptions, SqliteStore};
use cofio::{Config, Engine, Query, Selection};
use indicatif::ProgressBar;
use jiff::SignedDuration;
use jiff::tz::{Offset, TimeZone};
use pollster::block_on;

use super::belief::{Belief, Fact};
use super::clock::SetClock;
use super::conversation::{FIRST_DAY, Session, Speaker, Year};
use super::figures::Figures;
use super::invariants;
use super::truth::Place;

/// How long it takes to say something and to read the answer.
const TURN: SignedDuration = SignedDuration::from_secs(45);

/// How many days lie between two inspections.
const INSPECTED: usize = 30;

/// The tasks that are taken back to see whether they can be, in the order in which they are done.
const TAKEN_BACK: &[Task] =
    &[Task::Enrich, Task::Consolidate, Task::Promote, Task::Decay, Task::Reflect, Task::Merge];

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// An engine, a clock, and a year to live through.
pub struct Simulation<'a> {
    year: &'a Year,
    path: PathBuf,
    store: Arc<SqliteStore>,
    engine: Engine,
    clock: SetClock,
    keeper: Caller,
    timetable: Timetable,
    /// How many jobs were taken back and changed something.
    round_trips: usize,
    /// Where each turn was said that was remembered.
    places: HashMap<MemoryId, Place>,
    expired: u64,
}

/// What happens at a moment of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A full hour, at which jobs may be due.
    Hour,
    /// The end of a session of a user, both by number.
    Session(usize, usize),
}

impl<'a> Simulation<'a> {
    /// Begins on the first day, with an empty store in a folder.
    pub fn new(year: &'a Year, folder: &Path) -> Result<Self> {
        let begin = Offset::UTC.to_timestamp(FIRST_DAY.at(0, 0, 0, 0))?;
        let clock = SetClock::new(begin);
        let options = SqliteOptions { durability: Durability::ProcessOnly, ..Default::default() };
        let path = folder.join("year.db");
        let store = Arc::new(SqliteStore::open_with(&path, options)?);
        Ok(Self {
            year,
            path,
            engine: Engine::shared(store.clone(), clock.clone(), Config::default()),
            store,
            clock,
            keeper: Caller::keeper(Identifier::new("keeper")?),
            timetable: Timetable::new(DEFAULTS.iter().copied(), &TimeZone::UTC, "year")?,
            round_trips: 0,
            places: HashMap::new(),
            expired: 0,
        })
    }

    /// Lives through some days from the first, and returns what is counted at the end of each.
    pub fn live(&mut self, days: usize) -> Result<Vec<Figures>> {
        let progress = ProgressBar::new(days as u64);
        let mut counted = Vec::with_capacity(days);
        for day in 0..days {
            for (moment, event) in self.events(day)? {
                self.clock.set(moment);
                match event {
                    Event::Hour => self.work()?,
                    Event::Session(user, number) => self.listen(user, day, number)?,
                }
            }
            if day % INSPECTED == INSPECTED - 1 {
                self.inspect()?;
            }
            counted.push(self.count(day)?);
            progress.inc(1);
        }
        progress.finish_and_clear();
        Ok(counted)
    }

    /// Returns what is believed at the end of a day, beside what was told.
    pub fn belief(&self, day: usize) -> Result<Belief> {
        let mut belief = Belief::default();
        for user in &self.year.users {
            belief.count(user, day, &self.facts(&user.name)?);
        }
        Ok(belief)
    }

    /// Returns what happens on a day, in order.
    fn events(&self, day: usize) -> Result<Vec<(Timestamp, Event)>> {
        let midnight = Offset::UTC.to_timestamp(FIRST_DAY.at(0, 0, 0, 0))?;
        let midnight = midnight + HOUR * i32::try_from(24 * day)?;
        let mut events: Vec<_> =
            (0..24).map(|hour| (midnight + HOUR * hour, Event::Hour)).collect();
        for (user, life) in self.year.users.iter().enumerate() {
            for (number, session) in life.days[day].iter().enumerate() {
                events.push((said_at(session, session.turns.len())?, Event::Session(user, number)));
            }
        }
        events.sort_unstable();
        Ok(events)
    }

    /// Does the jobs that are due, as a server does.
    fn work(&mut self) -> Result<()> {
        block_on(self.engine.settle())?;
        let mut jobs = block_on(self.engine.maintain_due(&self.keeper, &self.timetable))?;
        jobs.extend(block_on(self.engine.maintain_conversations(&self.keeper))?);
        for job in jobs {
            let held = job.task == Task::Expire && job.state == JobState::Held;
            ensure!(job.state != JobState::Failed && !held, "{}: {:?}", job.task, job.note);
            self.expired += job.counts.forgotten;
        }
        Ok(())
    }

    /// Fails unless everything holds that has to, and every task can be taken back exactly.
    fn inspect(&mut self) -> Result<()> {
        for task in TAKEN_BACK {
            let changed = invariants::round_trip(&self.engine, &self.keeper, self.year, *task)?;
            self.round_trips += usize::from(changed);
        }
        let gone = invariants::gone(&self.store, &self.keeper)?;
        invariants::check(&invariants::snapshot(&self.engine, &self.keeper, self.year)?, &gone)
    }

    /// Returns how many jobs were taken back that had changed something.
    pub fn round_trips(&self) -> usize {
        self.round_trips
    }

    /// Remembers what was said in a session, turn by turn.
    fn listen(&mut self, user: usize, day: usize, session: usize) -> Result<()> {
        let life = &self.year.users[user];
        let said = &life.days[day][session];
        let name = Identifier::new(&life.name)?;
        let label = Identifier::new(&format!("{}-day-{}-{}", life.name, day + 1, session + 1))?;
        let drafts: Result<Vec<Draft>> =
            (0..said.turns.len()).map(|turn| draft(&name, &label, said, turn)).collect();
        self.look_up(&name, said)?;
        let remembered = block_on(self.engine.remember_all(&Caller::local(name), drafts?))
            .with_context(|| label.to_string())?;
        for (turn, one) in remembered.into_iter().enumerate() {
            self.places.insert(one.memory.id, Place { day, session, turn });
        }
        Ok(())
    }

    /// Looks up what is known for the first thing that is said, as an agent does.
    fn look_up(&self, user: &Identifier, session: &Session) -> Result<()> {
        let Some(first) = session.turns.first() else { return Ok(()) };
        let mine = Identifiers::default().with(Layer::User, user.clone());
        let facts = Criteria { kinds: vec![Kind::Fact], ..Criteria::default() };
        let query = Query { limit: 5, ..Query::new(Selection::with(mine, facts), &first.text) };
        block_on(self.engine.search(&Caller::local(user.clone()), &query))?;
        Ok(())
    }

    fn count(&self, day: usize) -> Result<Figures> {
        let told = self.year.users.iter().map(|user| user.holding(day).count() as u64).sum();
        let bytes = std::fs::metadata(&self.path)?.len();
        let mut figures = Figures { told, expired: self.expired, bytes, ..Figures::default() };
        for scope in block_on(self.engine.stats(&self.keeper, None))?.scopes {
            for (kind, state, count) in scope.counts {
                *match (kind, state) {
                    (Kind::Episode, State::Active) => &mut figures.episodes,
                    (_, State::Active) => &mut figures.facts,
                    (_, State::Pending) => &mut figures.pending,
                    (_, State::Superseded) => &mut figures.conflicts,
                    (_, State::Decayed) => &mut figures.decayed,
                    (_, State::Archived) => &mut figures.archived,
                } += count;
            }
        }
        Ok(figures)
    }

    fn facts(&self, user: &str) -> Result<Vec<Fact>> {
        let name = Identifier::new(user)?;
        let mine = Identifiers::default().with(Layer::User, name.clone());
        let facts = Criteria { kinds: vec![Kind::Fact], ..Criteria::default() };
        let selection = Selection::with(mine, facts);
        let memories = block_on(self.engine.list_all(&Caller::local(name), &selection))?;
        let place = |id: &MemoryId| self.places.get(id).copied();
        let fact = |memory: &cofio::model::Memory| Fact {
            content: memory.content.as_str().to_owned(),
            from: memory.provenance.derived_from.iter().filter_map(place).collect(),
        };
        Ok(memories.iter().map(fact).collect())
    }
}

/// Returns when a turn of a session is said.
fn said_at(session: &Session, turn: usize) -> Result<Timestamp> {
    Ok(session.began_at + TURN * i32::try_from(turn)?)
}

/// Makes an episode of a turn, trusted as far as whoever speaks.
fn draft(user: &Identifier, label: &Identifier, session: &Session, turn: usize) -> Result<Draft> {
    let said = &session.turns[turn];
    let channel = match said.speaker {
        Speaker::User => Channel::OwnerMessage,
        Speaker::Assistant => Channel::OtherMessage,
        Speaker::Page => Channel::WebFetch,
    };
    let mut source = Source::through(channel);
    source.session = Some(label.clone());
    source.message = Some(format!("{label}-{}", turn + 1));
    source.role = Some(said.speaker.role().to_owned());
    source.from_external_content = said.speaker == Speaker::Page;
    let scope = Scope::user(user.clone());
    Ok(Draft {
        event_at: Some(said_at(session, turn)?),
        doubt: Doubt::Redact,
        ..Draft::new(scope, Kind::Episode, said.text.as_str(), source)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lived(users: usize, days: usize) -> (Year, Vec<Figures>) {
        let year = Year::new(1, users, days);
        let folder = tempfile::tempdir().unwrap();
        let counted = Simulation::new(&year, folder.path()).unwrap().live(days).unwrap();
        (year, counted)
    }

    #[test]
    fn every_turn_is_kept_and_every_day_is_counted() {
        let (year, counted) = lived(3, 10);
        let sessions = year.users.iter().flat_map(|user| user.days.iter().flatten());
        let turns: usize = sessions.map(|session| session.turns.len()).sum();
        let last = counted.last().unwrap();
        assert_eq!(counted.len(), 10);
        assert_eq!(last.episodes, turns as u64);
        assert!(last.facts > 0, "{last:?}");
        let told: usize = year.users.iter().map(|user| user.holding(9).count()).sum();
        assert_eq!(last.told, told as u64);
        assert!(last.bytes > 0 && last.expired == 0, "{last:?}");
    }

    #[test]
    fn what_has_ended_goes_within_the_hour() {
        let (_, counted) = lived(1, 95);
        let (before, after) = (counted[88], counted[94]);
        assert_eq!(before.expired, 0);
        assert!(after.expired > 0 && after.episodes > 0, "{after:?}");
    }

    #[test]
    fn what_is_concluded_from_a_turn_is_known_and_nothing_else() {
        let year = Year::new(1, 2, 20);
        let folder = tempfile::tempdir().unwrap();
        let mut simulation = Simulation::new(&year, folder.path()).unwrap();
        // Nothing is learnt but what the test concludes.
        for (user, life) in year.users.iter().enumerate() {
            for (day, sessions) in life.days.iter().enumerate() {
                for (number, session) in sessions.iter().enumerate() {
                    simulation.clock.set(said_at(session, session.turns.len()).unwrap());
                    simulation.listen(user, day, number).unwrap();
                }
            }
        }
        let user = &year.users[1];
        let told = user.holding(19).next().unwrap();
        let said = user.turn(told.told).unwrap().text.as_str();
        let turns = Criteria { kinds: vec![Kind::Episode], ..Criteria::default() };
        let name = Identifier::new(&user.name).unwrap();
        let mine = Identifiers::default().with(Layer::User, name.clone());
        let caller = Caller::local(name.clone());
        let selection = Selection::with(mine, turns);
        let turns = block_on(simulation.engine.list_all(&caller, &selection)).unwrap();
        let turn = turns.iter().find(|turn| turn.content.as_str() == said).unwrap();
        let source = Source::through(Channel::ExplicitSave);
        let fact = format!("The user told: {}", told.value);
        let draft = Draft::new(Scope::user(name), Kind::Fact, fact, source);
        let draft = Draft { derived_from: vec![turn.id.clone()], ..draft };
        block_on(simulation.engine.remember(&caller, draft)).unwrap();
        let Belief { known, outdated, misled } = simulation.belief(19).unwrap();
        assert_eq!([known.found, outdated.found, misled.found], [1, 0, 0]);
        let holding: usize = year.users.iter().map(|user| user.holding(19).count()).sum();
        assert_eq!(known.of, holding);
    }

    #[test]
    fn a_turn_is_trusted_as_far_as_whoever_speaks() {
        use super::super::conversation::Turn;
        use cofio::model::Trust;

        let name = Identifier::new("somebody").unwrap();
        for (speaker, trust) in [
            (Speaker::User, Trust::High),
            (Speaker::Assistant, Trust::Medium),
            (Speaker::Page, Trust::Low),
        ] {
            let turns = vec![Turn { speaker, text: "I live in York.".to_owned() }];
            let session = Session { began_at: Timestamp::UNIX_EPOCH, turns };
            let source = draft(&name, &name, &session, 0).unwrap().source;
            assert_eq!(source.trust(), trust);
            assert_eq!(source.from_external_content, speaker == Speaker::Page);
        }
    }
}
