//! What tenants do, in their own scopes and where they have no business.

use cofio::engine::{ConflictMode, ContextRequest, Importing, ListRequest, Sweep};
use cofio::model::{
    Channel, Criteria, Doubt, Identifiers, Kind, Layer, MemoryId, Patch, Scope, Source, State,
    Trust,
};
use cofio::retrieval::Merge;
use cofio::store::{Entries, Order};
use cofio::{ErrorKind, Mode, Query, Result, Selection, bundle};
use jiff::SignedDuration;
use pollster::block_on;

use super::world::{WORDS, World};
use crate::fixture::named;

/// A cursor belongs to one list of one caller, so that this is hardly ever answered.
pub const FOREIGN_CURSOR: &str = "list with somebody's cursor";

impl World {
    /// Lets some tenant do something.
    pub fn operate(&mut self) {
        let me = self.chance.below(self.tenants.len());
        match self.chance.below(26) {
            0..=5 => self.remember(me),
            6..=8 => self.search(me),
            9..=10 => self.list(me),
            11 => self.by_id(me),
            12 => self.update(me),
            13 => self.forget(me),
            14 => self.context(me),
            15 => self.entities(me),
            16 => self.stats_and_changes(me),
            17 => self.export(me),
            18 => self.import(me),
            19 => self.why_not(me),
            20 => self.review(me),
            21 => self.window(me),
            22 => self.values_by_key(me),
            23 => self.forget_many(me),
            24 => self.audit(me),
            _ => {
                block_on(self.engine.embed_pending(20)).unwrap();
                self.wait(SignedDuration::from_mins(1));
            }
        }
    }

    /// Returns a scope: mostly one's own.
    fn scope(&mut self, me: usize) -> Scope {
        if self.chance.once_in(5) {
            return self.chance.one_of(&self.scopes);
        }
        self.chance.one_of(&self.tenants[me].scopes)
    }

    fn opens(&self, me: usize, scope: &Scope) -> bool {
        self.tenants[me].caller.access().opens(scope)
    }

    /// Returns an id: half of the time one's own.
    fn id(&mut self, me: usize) -> MemoryId {
        let scope = if self.chance.once_in(2) {
            self.chance.one_of(&self.scopes)
        } else {
            self.chance.one_of(&self.tenants[me].scopes)
        };
        let ids = &self.ids[self.scopes.iter().position(|known| *known == scope).unwrap()];
        if ids.is_empty() {
            return format!("fact_{:032x}", 9).parse().unwrap();
        }
        self.chance.one_of(ids)
    }

    /// Returns one's own names, or sometimes those with one of somebody else's.
    fn names(&mut self, me: usize) -> Identifiers {
        let own = self.tenants[me].identifiers.clone();
        if !self.chance.once_in(6) {
            return own;
        }
        let other = self.chance.below(self.tenants.len());
        let layer = self.chance.one_of(Layer::ALL);
        match self.tenants[other].identifiers.get(layer) {
            Some(name) => own.with(layer, name.clone()),
            None => own,
        }
    }

    fn selection(&mut self, me: usize) -> Selection {
        let identifiers = self.names(me);
        let mut criteria = Criteria::default();
        let chance = &mut self.chance;
        let open = format!("open{:04}x", chance.below(self.scopes.len()));
        match chance.below(12) {
            0 => criteria.tags = vec!["shared".to_owned(), open],
            1 => drop(criteria.custom.insert("category".to_owned(), "user_profile".into())),
            2 => criteria.states = State::ALL.to_vec(),
            3 => criteria.origin = Some(format!("page-{open}")),
            4 => criteria.triple.subject = Some(chance.one_of(&WORDS).to_owned()),
            5 => criteria.excluded_session = Some(named("s1")),
            6 => criteria.minimum_trust = Trust::Medium,
            7 => criteria.key = Some("task".to_owned()),
            _ => {}
        }
        let layers = chance.once_in(6).then(|| vec![chance.one_of(Layer::ALL)]);
        Selection { layers, ..Selection::with(identifiers, criteria) }
    }

    fn query(&mut self, me: usize) -> Query {
        let selection = self.selection(me);
        let chance = &mut self.chance;
        let (one, two) = (chance.one_of(&WORDS), chance.one_of(&WORDS));
        let open = format!("open{:04}x", chance.below(self.scopes.len()));
        let text = chance.one_of(&[
            format!("where is the {one} of the {two}"),
            format!("{open} {one}"),
            "what did bob say".to_owned(),
            format!("{open}* OR by%"),
        ]);
        Query {
            mode: chance.one_of(&[Mode::Hybrid, Mode::Keyword, Mode::Semantic]),
            merge: chance.one_of(&[Merge::Fused, Merge::Precedence]),
            threshold: chance.once_in(3).then_some(0.1),
            limit: 1 + chance.below(50),
            tokens: chance.once_in(6).then_some(60),
            ..Query::new(selection, text)
        }
    }

    fn remember(&mut self, me: usize) {
        let scope = self.scope(me);
        let mut draft = self.draft(&scope, me);
        let mut given = Vec::new();
        if self.chance.once_in(8) {
            let parent = self.id(me);
            let number = self.number(&scope);
            // What is concluded from a scope names its ids, so it stays there.
            if self.ids[number].contains(&parent) || self.chance.once_in(2) {
                given.push(parent);
            }
            draft.derived_from.clone_from(&given);
        }
        if self.chance.once_in(20) {
            draft.idempotency_key = Some(cofio::model::IdempotencyKey::new("k1").unwrap());
        }
        let theirs = given.iter().any(|id| !self.ids[self.number(&scope)].contains(id));
        let remembered = block_on(self.engine.remember(&self.tenants[me].caller, draft));
        self.hear("remember", me, &given.iter().collect::<Vec<_>>(), &remembered);
        let open = self.opens(me, &scope);
        if let Ok(remembered) = &remembered {
            assert!(open, "{} was written to from outside", remembered.memory.scope);
            if theirs {
                let ids = std::slice::from_ref(&remembered.memory.id);
                block_on(self.engine.forget(&self.tenants[me].caller, ids)).unwrap();
            }
        } else if !open {
            let kind = remembered.unwrap_err().kind();
            assert!(matches!(kind, ErrorKind::Unauthorized | ErrorKind::NotFound), "{kind:?}");
        }
    }

    fn search(&mut self, me: usize) {
        let query = self.query(me);
        let answer = block_on(self.engine.search(&self.tenants[me].caller, &query));
        self.hear("search", me, &[], &answer);
    }

    fn list(&mut self, me: usize) {
        let mut request = ListRequest::new(self.selection(me));
        request.limit = 1 + self.chance.below(5);
        request.order = self.chance.one_of(&[
            Order::Newest,
            Order::LatestEvent,
            Order::EarliestEvent,
            Order::Confidence,
        ]);
        let listed = block_on(self.engine.list(&self.tenants[me].caller, &request));
        self.hear("list", me, &[], &listed);
        // A cursor has the id of the last memory, so its text is not said again to others.
        if self.chance.once_in(2) && !self.cursors.is_empty() {
            let cursor = self.chance.one_of(&self.cursors);
            let id: MemoryId = cursor.rsplit('.').next().unwrap().parse().unwrap();
            request.cursor = Some(cursor);
            let listed = block_on(self.engine.list(&self.tenants[me].caller, &request));
            self.hear(FOREIGN_CURSOR, me, &[&id], &listed);
        }
        if let Ok(Some(cursor)) = listed.map(|listed| listed.next_cursor) {
            request.cursor = Some(cursor.clone());
            let next = block_on(self.engine.list(&self.tenants[me].caller, &request));
            self.hear("list with a cursor", me, &[], &next);
            self.cursors.push(cursor);
        }
    }

    fn by_id(&mut self, me: usize) {
        let id = self.id(me);
        self.hear_of_id("get", me, &id, |world, caller, id| block_on(world.engine.get(caller, id)));
        self.hear_of_id("history", me, &id, |world, caller, id| {
            block_on(world.engine.history(caller, id))
        });
    }

    fn update(&mut self, me: usize) {
        let id = self.id(me);
        let home = self.scopes.iter().position(|scope| {
            let number = self.number(scope);
            self.ids[number].contains(&id)
        });
        let number = home.unwrap_or(0);
        let scope = self.scopes[number].clone();
        let content = self.draft(&scope, me).content;
        let source = self.chance.once_in(2).then(|| Source::through(Channel::ExplicitSave));
        let patch = Patch { content: Some(content), source, ..Patch::default() };
        self.hear_of_id("update", me, &id, |world, caller, id| {
            block_on(world.engine.update(caller, id, patch.clone()))
        });
    }

    fn forget(&mut self, me: usize) {
        let ids = [self.id(me), self.id(me)];
        let forgotten = block_on(self.engine.forget(&self.tenants[me].caller, &ids));
        self.hear("forget", me, &[&ids[0], &ids[1]], &forgotten);
    }

    fn context(&mut self, me: usize) {
        let selection = self.selection(me);
        let session = self.chance.once_in(2).then(|| named(self.chance.one_of(&["s1", "s2"])));
        let prompt = format!("tell me of the {}", self.chance.one_of(&WORDS));
        let request =
            ContextRequest { episodes: 5, session, ..ContextRequest::new(selection, prompt) };
        let block = block_on(self.engine.context(&self.tenants[me].caller, &request));
        self.hear("context", me, &[], &block);
    }

    fn entities(&mut self, me: usize) {
        let scopes = [self.scope(me), self.scope(me)];
        let entities = block_on(self.engine.entities(&self.tenants[me].caller, &scopes, 1_000));
        self.hear("entities", me, &[], &entities);
        let profiles = block_on(self.engine.entity(&self.tenants[me].caller, &scopes, "bob", 50));
        self.hear("entity", me, &[], &profiles);
    }

    fn stats_and_changes(&mut self, me: usize) {
        let scopes = [self.scope(me), self.scope(me)];
        for within in [None, Some(&scopes[..])] {
            let stats = block_on(self.engine.stats(&self.tenants[me].caller, within));
            self.hear("stats", me, &[], &stats);
        }
        let after = self.chance.below(500) as u64;
        let changes = block_on(self.engine.changes(&self.tenants[me].caller, after, 50));
        self.hear("changes", me, &[], &changes);
    }

    /// Returns everything a tenant can export.
    fn bundle(&self, of: usize) -> Result<Vec<u8>> {
        let mut bundle = Vec::new();
        block_on(self.engine.export(&self.tenants[of].caller, &mut bundle, |_| {}))?;
        Ok(bundle)
    }

    fn export(&mut self, me: usize) {
        let records = self.bundle(me).and_then(|bundle| {
            let mut reader = bundle::Reader::new(bundle.as_slice())?;
            let mut records = Vec::new();
            while let Some(record) = reader.read()? {
                records.push(record);
            }
            Ok(records)
        });
        self.hear("export", me, &[], &records);
    }

    fn import(&mut self, me: usize) {
        let whose = if self.chance.once_in(2) { me } else { self.chance.below(self.tenants.len()) };
        let bundle = self.bundle(whose).unwrap();
        let on_conflict = self.chance.one_of(&[ConflictMode::Skip, ConflictMode::Replace]);
        let importing = Importing {
            on_conflict,
            trusted_at_most: Trust::High,
            doubt: Doubt::Keep,
            dry_run: false,
        };
        let caller = &self.tenants[me].caller;
        let imported = block_on(self.engine.import(caller, bundle.as_slice(), importing, |_| {}));
        self.hear("import", me, &[], &imported);
    }

    fn why_not(&mut self, me: usize) {
        let (query, id) = (self.query(me), self.id(me));
        self.hear_of_id("why-not", me, &id, |world, caller, id| {
            block_on(world.engine.why_not(caller, &query, id))
        });
    }

    fn review(&mut self, me: usize) {
        let criteria = Criteria { states: vec![State::Pending], ..Criteria::default() };
        let own = Selection::with(self.tenants[me].identifiers.clone(), criteria);
        let waiting =
            block_on(self.engine.list(&self.tenants[me].caller, &ListRequest::new(own))).unwrap();
        let id = match waiting.memories.first() {
            Some(memory) if self.chance.once_in(2) => memory.id.clone(),
            _ => self.id(me),
        };
        let text = block_on(self.engine.get(&self.tenants[me].caller, &id))
            .map_or_else(|_| "a guess".to_owned(), |memory| memory.content.as_str().to_owned());
        if self.chance.once_in(2) {
            self.hear_of_id("approve", me, &id, |world, caller, id| {
                block_on(world.engine.approve(caller, id, &text))
            });
        } else {
            self.hear_of_id("reject", me, &id, |world, caller, id| {
                block_on(world.engine.reject(caller, id))
            });
        }
        let scope = self.scope(me);
        let rejections = block_on(self.engine.rejections(&self.tenants[me].caller));
        self.hear("rejections", me, &[], &rejections);
        let permitted = block_on(self.engine.permit(&self.tenants[me].caller, &scope, &text));
        self.hear("permit", me, &[], &permitted);
        assert!(permitted.is_err() || self.opens(me, &scope));
    }

    fn window(&mut self, me: usize) {
        let scope = self.scope(me);
        let text = self.draft(&scope, me).content;
        let caller = self.tenants[me].caller.clone();
        let source = Source::through(Channel::OwnerMessage);
        let turns = block_on(self.engine.push_turn(&caller, &scope, "user", &text, source));
        self.hear("window push", me, &[], &turns);
        let turns = block_on(self.engine.window(&caller, &scope));
        self.hear("window", me, &[], &turns);
        if self.chance.once_in(5) {
            let cleared = block_on(self.engine.clear_window(&caller, &scope));
            self.hear("window clear", me, &[], &cleared);
        }
    }

    fn values_by_key(&mut self, me: usize) {
        let (scope, selection) = (self.scope(me), self.selection(me));
        let value = self.draft(&scope, me).content;
        let caller = self.tenants[me].caller.clone();
        let source = Source::through(Channel::ExplicitSave);
        let kept = block_on(self.engine.set_context(&caller, scope, "task", &value, source));
        self.hear("context set", me, &[], &kept);
        let found = block_on(self.engine.get_context(&caller, selection, "task"));
        self.hear("context get", me, &[], &found);
    }

    fn forget_many(&mut self, me: usize) {
        let caller = self.tenants[me].caller.clone();
        let page = format!("page-open{:04}x", self.chance.below(self.scopes.len()));
        let found = block_on(self.engine.from_source(&caller, &page));
        self.hear("from source", me, &[], &found);
        let (forgotten, what) = match self.chance.below(3) {
            0 => (block_on(self.engine.forget_source(&caller, &page)), "forget source"),
            1 => {
                let mut selection = self.selection(me);
                selection.criteria.kinds = vec![Kind::Reflection];
                (block_on(self.engine.forget_matching(&caller, &selection)), "forget matching")
            }
            _ => {
                let within = Some(vec![self.scope(me), self.scope(me)]);
                let sweep = Sweep { within, ..Sweep::default() };
                let swept = block_on(self.engine.sweep(&caller, &sweep));
                self.hear("sweep", me, &[], &swept);
                return;
            }
        };
        self.hear(what, me, &[], &forgotten);
    }

    fn audit(&mut self, me: usize) {
        let caller = self.tenants[me].caller.clone();
        let which = self.chance.one_of(&[Entries::Latest, Entries::After(0)]);
        let entries = block_on(self.engine.audit(&caller, which, 50));
        self.hear("audit", me, &[], &entries);
        for entry in entries.unwrap() {
            assert_eq!(&entry.record.actor, caller.actor());
        }
    }
}
