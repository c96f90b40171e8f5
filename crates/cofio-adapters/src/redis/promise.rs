//! What a server promises for what it has acknowledged.

use std::collections::HashMap;
use std::time::Duration;

use cofio::shelf::{Component, Health, Status};
use cofio::{Error, ErrorKind, Result};
use redis::{Connection, RedisError, cmd};

use super::Keeping;

/// What a server promises, and what it says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Promise {
    version: Option<String>,
    /// Whether every write is added to a file; unknown where nobody may ask.
    appends: Option<bool>,
    /// How soon that file is on disk.
    syncs: Option<String>,
    /// Whether one can wait until it is.
    can_wait: bool,
    /// What it does when its memory is full, if that has a limit.
    evicts: Option<String>,
    /// Whether to wait after every write.
    pub waits: bool,
}

impl Promise {
    /// Asks a server.
    pub fn ask(connection: &mut Connection) -> std::result::Result<Self, RedisError> {
        let told: String = cmd("INFO").query(connection)?;
        let mut promise = Self::read(&told);
        // Some servers let nobody ask this.
        let settings = cmd("CONFIG").arg("GET").arg("append*").query(connection);
        let settings: HashMap<String, String> = tolerated(settings)?.unwrap_or_default();
        if let Some(appends) = settings.get("appendonly") {
            promise.appends = Some(appends == "yes");
        }
        promise.syncs = settings.get("appendfsync").cloned();
        let wait = cmd("WAITAOF").arg(0).arg(0).arg(0).exec(connection);
        promise.can_wait = tolerated(wait)?.is_some();
        promise.waits =
            promise.can_wait && promise.appends == Some(true) && !promise.syncs_always();
        Ok(promise)
    }

    /// Reads what a server says of itself.
    fn read(told: &str) -> Self {
        let facts: HashMap<&str, &str> =
            told.lines().filter_map(|line| line.trim_end().split_once(':')).collect();
        let limited = facts.get("maxmemory").is_some_and(|bytes| *bytes != "0");
        let policy = facts.get("maxmemory_policy").filter(|policy| **policy != "noeviction");
        Self {
            version: facts.get("redis_version").map(|version| (*version).to_owned()),
            appends: facts.get("aof_enabled").map(|enabled| *enabled == "1"),
            evicts: policy.filter(|_| limited).map(|policy| (*policy).to_owned()),
            ..Self::default()
        }
    }

    /// Fails if what is acknowledged may be lost.
    pub fn require(&self) -> Result<()> {
        let broken =
            [self.durability(), self.room()].into_iter().find_map(std::result::Result::err);
        let Some(why) = broken else { return Ok(()) };
        let message = format!("redis may lose what it has acknowledged: {why}");
        Err(Error::new(ErrorKind::Configuration, message))
    }

    /// Says how a server is that answered in a time.
    pub fn health(&self, latency: Duration, keeping: Keeping) -> Health {
        let broken = match keeping {
            Keeping::Durable => Status::Unhealthy,
            Keeping::AsConfigured => Status::Degraded,
        };
        let component = |name, promise: std::result::Result<String, String>| match promise {
            Ok(message) => Component { name, status: Status::Healthy, message },
            Err(message) => Component { name, status: broken, message },
        };
        let components =
            vec![component("durability", self.durability()), component("memory", self.room())];
        Health::new(latency, self.version.clone(), components)
    }

    fn syncs_always(&self) -> bool {
        self.syncs.as_deref() == Some("always")
    }

    fn durability(&self) -> std::result::Result<String, String> {
        match (self.appends, self.syncs.as_deref()) {
            (Some(true), Some("always")) => {
                Ok("every write is on disk before it is acknowledged (appendfsync always)"
                    .to_owned())
            }
            (Some(true), _) if self.waits => {
                Ok("every write is waited for until it is on disk (WAITAOF)".to_owned())
            }
            (Some(true), Some(other)) => Err(format!(
                "the last writes before a crash are lost (appendfsync {other}); \
                 set appendfsync to always, or use Redis 7.2 or later"
            )),
            (Some(true), None) => Err("it does not say how soon writes are on disk; \
                 let the user ask CONFIG GET, or use Redis 7.2 or later"
                .to_owned()),
            (Some(false), _) => {
                Err("nothing is sure to be there after a restart (appendonly no); \
                 set appendonly to yes and appendfsync to always"
                    .to_owned())
            }
            (None, _) => Err("it does not say whether anything is on disk".to_owned()),
        }
    }

    fn room(&self) -> std::result::Result<String, String> {
        match &self.evicts {
            None => Ok("nothing is removed to make room".to_owned()),
            Some(policy) => Err(format!(
                "it removes contents when its memory is full (maxmemory-policy {policy}); \
                 set maxmemory-policy to noeviction"
            )),
        }
    }
}

/// Takes a server's refusal for no answer.
fn tolerated<T>(
    answer: std::result::Result<T, RedisError>,
) -> std::result::Result<Option<T>, RedisError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.clone().into_server_errors().is_some() => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn promise(appends: Option<bool>, syncs: Option<&str>, can_wait: bool) -> Promise {
        let syncs = syncs.map(ToOwned::to_owned);
        let waits = can_wait && appends == Some(true) && syncs.as_deref() != Some("always");
        Promise { appends, syncs, can_wait, waits, ..Promise::default() }
    }

    fn check(promise: &Promise, expected: std::result::Result<(), &str>) {
        match (promise.require(), expected) {
            (Ok(()), Ok(())) => {}
            (Err(error), Err(part)) => {
                assert_eq!(error.kind(), ErrorKind::Configuration);
                assert!(error.to_string().contains(part), "{error}");
            }
            (found, expected) => panic!("{promise:?}: {found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn only_what_is_on_disk_is_promised() {
        check(&promise(Some(true), Some("always"), false), Ok(()));
        check(&promise(Some(true), Some("everysec"), true), Ok(()));
        check(&promise(Some(true), None, true), Ok(()));
        check(&promise(Some(true), Some("everysec"), false), Err("appendfsync everysec"));
        check(&promise(Some(true), Some("no"), false), Err("appendfsync no"));
        check(&promise(Some(true), None, false), Err("CONFIG GET"));
        check(&promise(Some(false), Some("always"), true), Err("appendonly no"));
        check(&promise(None, None, false), Err("does not say"));
    }

    #[test]
    fn what_a_server_says_of_itself_is_read() {
        let told = "# Server\r\nredis_version:7.0.15\r\naof_enabled:1\r\nmaxmemory:0\r\n\
                    maxmemory_policy:allkeys-lru\r\n";
        let read = Promise::read(told);
        assert_eq!((read.version.as_deref(), read.appends), (Some("7.0.15"), Some(true)));
        assert_eq!(read.evicts, None, "without a limit nothing is evicted");
        let read = Promise::read(&told.replace("maxmemory:0", "maxmemory:1000"));
        assert_eq!(read.evicts.as_deref(), Some("allkeys-lru"));
        let full = Promise { evicts: read.evicts, ..promise(Some(true), Some("always"), false) };
        check(&full, Err("maxmemory-policy allkeys-lru"));
    }

    #[test]
    fn a_broken_promise_is_worse_where_it_counts() {
        let weak = promise(Some(false), None, false);
        let status = |keeping| weak.health(Duration::ZERO, keeping).status;
        assert_eq!(status(Keeping::Durable), Status::Unhealthy);
        assert_eq!(status(Keeping::AsConfigured), Status::Degraded);
        let strong = promise(Some(true), Some("always"), false);
        assert_eq!(strong.health(Duration::ZERO, Keeping::Durable).status, Status::Healthy);
    }
}
