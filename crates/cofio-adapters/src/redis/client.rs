//! One connection, and what is asked through it.

use std::time::Instant;

use cofio::model::{CleanText, Scope};
use cofio::shelf::{Health, Labels, Slot};
use cofio::{Error, ErrorKind, Result};
use redis::{
    Connection, ConnectionLike as _, FromRedisValue, IntoConnectionInfo as _, Pipeline,
    RedisConnectionInfo, RedisError, cmd, pipe,
};

use super::failure;
use super::keys::Keys;
use super::promise::Promise;
use super::{Keeping, Options};
use crate::threads::Wanted;
use crate::{naming, portions};

/// How many slots one request has at most.
const PORTION: usize = 500;

/// How many names are listed with one request, which are short.
const LISTED: usize = 5_000;

/// How many bytes of text one request has at most, unless one text alone has more.
const PORTION_BYTES: usize = 4 * 1024 * 1024;

/// Knows the server, and is connected to it if all is well.
pub struct Client {
    server: redis::Client,
    /// Who asks, and of which database.
    account: RedisConnectionInfo,
    options: Options,
    session: Option<Session>,
}

/// A connection, with what the server at its other end promises.
struct Session {
    connection: Connection,
    promise: Promise,
}

/// A text that is to be kept.
pub struct Told {
    pub slot: Slot,
    pub text: CleanText,
    pub end: End,
}

/// When a key ends, in milliseconds since 1970.
pub struct End(Option<i64>);

impl End {
    pub fn of(labels: &Labels) -> Self {
        // Redis takes no moment before its own beginning.
        Self(labels.ends_at.map(|end| end.as_millisecond().max(1)))
    }
}

impl Client {
    /// Checks the address.
    pub fn new(options: &Options) -> Result<Self> {
        let url = options.url.trim();
        if hides_password(url) {
            return Err(failure::address());
        }
        let told = url.into_connection_info().map_err(|_| failure::address())?;
        let account = told.redis_settings().clone();
        // Who asks, and of which database, is said later: the driver takes any no for a wrong password.
        let plain = RedisConnectionInfo::default().set_skip_set_lib_name();
        let server = redis::Client::open(told.set_redis_settings(plain));
        let server = server.map_err(|_| failure::address())?;
        Ok(Self { server, account, options: options.clone(), session: None })
    }

    /// Makes another one for the same server.
    pub fn another(&self) -> Self {
        let Self { server, account, options, .. } = self;
        let (server, account, options) = (server.clone(), account.clone(), options.clone());
        Self { server, account, options, session: None }
    }

    /// Keeps texts of a scope, all of a portion or none.
    pub fn put(&mut self, scope: &Scope, texts: &[Told], wanted: &Wanted<'_>) -> Result<()> {
        let keys = Keys::new(&self.options.prefix, scope);
        for portion in portions::of(texts, PORTION, PORTION_BYTES, |text| text.text.as_str().len())
        {
            wanted.check()?;
            let mut write = pipe();
            write.atomic();
            let index = write.cmd("ZADD").arg(keys.slots());
            for Told { slot, .. } in portion {
                index.arg(0).arg(naming::within_scope(slot));
            }
            for Told { slot, text, end } in portion {
                let set = write.cmd("SET").arg(keys.text(slot)).arg(text.as_str());
                if let End(Some(at)) = end {
                    set.arg("PXAT").arg(at);
                }
            }
            self.write(&write)?;
        }
        Ok(())
    }

    /// Returns the texts of a scope, in the order of the slots.
    pub fn get(
        &mut self,
        scope: &Scope,
        slots: &[Slot],
        wanted: &Wanted<'_>,
    ) -> Result<Vec<Option<String>>> {
        let keys = Keys::new(&self.options.prefix, scope);
        let mut texts = Vec::with_capacity(slots.len());
        for portion in slots.chunks(PORTION) {
            wanted.check()?;
            let mut read = cmd("MGET");
            for slot in portion {
                read.arg(keys.text(slot));
            }
            let found: Vec<Option<String>> = self.ask(|connection| read.query(connection))?;
            texts.extend(found);
        }
        Ok(texts)
    }

    /// Removes slots of a scope.
    pub fn remove(&mut self, scope: &Scope, slots: &[Slot], wanted: &Wanted<'_>) -> Result<()> {
        let keys = Keys::new(&self.options.prefix, scope);
        for portion in slots.chunks(PORTION) {
            wanted.check()?;
            // No transaction, as a server whose memory is full takes none. If a late write of the same
            // slot comes between the two, it is the text that goes, never what is known of it.
            let mut write = pipe();
            let index = write.cmd("ZREM").arg(keys.slots());
            for slot in portion {
                index.arg(naming::within_scope(slot));
            }
            let texts = write.cmd("DEL");
            for slot in portion {
                texts.arg(keys.text(slot));
            }
            self.write(&write)?;
        }
        Ok(())
    }

    /// Returns slots of a scope whose texts are there, after a place.
    pub fn slots(
        &mut self,
        scope: &Scope,
        after: Option<&Slot>,
        limit: usize,
        wanted: &Wanted<'_>,
    ) -> Result<Vec<Slot>> {
        let keys = Keys::new(&self.options.prefix, scope);
        let mut from =
            after.map_or_else(|| "-".to_owned(), |slot| beyond(&naming::within_scope(slot)));
        let mut slots: Vec<Slot> = Vec::new();
        while slots.len() < limit {
            wanted.check()?;
            let mut read = cmd("ZRANGEBYLEX");
            read.arg(keys.slots()).arg(&from).arg("+").arg("LIMIT").arg(0).arg(LISTED);
            let names: Vec<String> = self.ask(|connection| read.query(connection))?;
            let Some(last) = names.last() else { break };
            from = beyond(last);
            slots.extend(self.there(scope, &keys, &names)?);
        }
        slots.truncate(limit);
        Ok(slots)
    }

    /// Returns those of the slots whose texts have not ended.
    fn there(&mut self, scope: &Scope, keys: &Keys, names: &[String]) -> Result<Vec<Slot>> {
        let mut read = pipe();
        for name in names {
            read.cmd("EXISTS").arg(keys.text_named(name));
        }
        let there: Vec<bool> = self.ask(|connection| read.query(connection))?;
        let named = names.iter().zip(there).filter(|(_, there)| *there);
        Ok(named.filter_map(|(name, _)| naming::slot(scope, name)).collect())
    }

    /// Says how the server is; its promise is no reason not to answer here.
    pub fn health(&mut self) -> Result<Health> {
        // What was promised before may be another thing by now.
        self.session = None;
        let start = Instant::now();
        let answered = self
            .connect()
            .and_then(|session| cmd("PING").exec(&mut session.connection).map_err(Into::into));
        answered.map_err(|failure: Failed| self.failed(&failure))?;
        let latency = start.elapsed();
        let session = self.session.as_ref().expect("it has just answered");
        Ok(session.promise.health(latency, self.options.keeping))
    }

    /// Changes something, and waits until that is written.
    fn write(&mut self, change: &Pipeline) -> Result<()> {
        let timeout = self.options.timeout;
        let waits = self.connected()?.promise.waits;
        self.ask(|connection| change.exec(connection))?;
        if waits {
            let mut wait = cmd("WAITAOF");
            wait.arg(1).arg(0).arg(u64::try_from(timeout.as_millis() / 2).unwrap_or(1_000));
            let (written, _): (u64, u64) = self.ask(|connection| wait.query(connection))?;
            if written == 0 {
                return Err(self.unwritten());
            }
        }
        Ok(())
    }

    fn ask<T: FromRedisValue>(
        &mut self,
        ask: impl FnOnce(&mut Connection) -> std::result::Result<T, RedisError>,
    ) -> Result<T> {
        let session = self.connected()?;
        let answer = ask(&mut session.connection).map_err(Failed::from);
        answer.map_err(|failure| self.failed(&failure))
    }

    /// Returns a connection to a server that promises enough.
    fn connected(&mut self) -> Result<&mut Session> {
        if let Err(failure) = self.connect() {
            return Err(self.failed(&failure));
        }
        let session = self.session.as_mut().expect("it is connected");
        if self.options.keeping == Keeping::Durable {
            session.promise.require()?;
        }
        Ok(session)
    }

    fn connect(&mut self) -> std::result::Result<&mut Session, Failed> {
        if !self.session.as_ref().is_some_and(|session| session.connection.is_open()) {
            self.session = None;
            let Options { timeout, .. } = self.options;
            let mut connection = self.server.get_connection_with_timeout(timeout)?;
            connection.set_read_timeout(Some(timeout))?;
            connection.set_write_timeout(Some(timeout))?;
            introduce(&self.account, &mut connection)?;
            let promise = Promise::ask(&mut connection)?;
            self.session = Some(Session { connection, promise });
        }
        Ok(self.session.as_mut().expect("it is connected"))
    }

    /// Says why there was no answer, and lets go of a connection on which none can follow.
    fn failed(&mut self, failure: &Failed) -> Error {
        let (error, usable) = failure::of(&failure.0, self.server.get_connection_info().addr());
        if !usable {
            self.session = None;
        }
        error
    }

    fn unwritten(&self) -> Error {
        let message = format!(
            "{} took the contents but did not say in time that they are on disk",
            self.server.get_connection_info().addr()
        );
        Error::new(ErrorKind::Provider, message)
    }
}

/// That the server did not do what it was asked.
struct Failed(RedisError);

impl From<RedisError> for Failed {
    fn from(error: RedisError) -> Self {
        Self(error)
    }
}

/// Says who asks, and of which database.
fn introduce(
    account: &RedisConnectionInfo,
    connection: &mut Connection,
) -> std::result::Result<(), RedisError> {
    if let Some(password) = account.password() {
        let mut who = cmd("AUTH");
        if let Some(user) = account.username() {
            who.arg(user);
        }
        who.arg(password).exec(connection)?;
    }
    if account.db() != 0 {
        cmd("SELECT").arg(account.db()).exec(connection)?;
    }
    Ok(())
}

/// Returns whether a password may begin where the address seems to name a port: up to a `/` or `?` in
/// the password, which ought to be encoded.
fn hides_password(url: &str) -> bool {
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    let server = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    server > 0 && rest[server..].contains('@')
}

/// Returns the end of a range that begins after a name.
fn beyond(name: &str) -> String {
    format!("({name}")
}
