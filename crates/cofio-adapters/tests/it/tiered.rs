//! Everything as users have it, a home with shelves on servers, while one of the servers fails:
//! nothing that was acknowledged is lost, nothing that failed is half there, and all goes on by
//! itself.

mod house;
mod ledger;

use std::time::Duration;

use crate::redis::DURABLE;
use crate::servers::instance::Instance;
use crate::servers::postgres::Server;
use crate::servers::proxy::{Manner, Proxy};
use crate::{chroma, qdrant, redis};

use house::{House, Part};
use ledger::Crowd;

/// The servers of the preset `tiered`, each behind a proxy.
struct Tiers {
    postgres: Server,
    redis: Instance,
    qdrant: Instance,
    ways: [Proxy; 3],
}

impl Tiers {
    fn start() -> Option<Self> {
        let (postgres, redis, qdrant) = (Server::new()?, redis::start(DURABLE)?, qdrant::start()?);
        let ways = [postgres.port, redis.port, qdrant.port]
            .map(|port| Proxy::to(&format!("127.0.0.1:{port}")));
        Some(Self { postgres, redis, qdrant, ways })
    }

    fn house(&self) -> House {
        let [postgres, redis, qdrant] = self.ways.each_ref().map(|way| way.port);
        House::tiered(&Server::url_by(postgres), redis, qdrant)
    }

    fn way(&self, part: Part) -> &Proxy {
        let [postgres, redis, qdrant] = &self.ways;
        match part {
            Part::Home => postgres,
            Part::Redis => redis,
            Part::Qdrant | Part::Chroma => qdrant,
        }
    }
}

const TIERS: [Part; 3] = [Part::Redis, Part::Qdrant, Part::Home];

#[test]
fn whichever_server_is_killed_nothing_acknowledged_is_lost() {
    let Some(mut tiers) = Tiers::start() else { return };
    let house = tiers.house();
    let crowd = Crowd::begin(&house);
    for part in TIERS {
        crowd.writes_everywhere();
        match part {
            Part::Home => tiers.postgres.kill(),
            Part::Redis => tiers.redis.kill(),
            Part::Qdrant | Part::Chroma => tiers.qdrant.kill(),
        }
        crowd.misses(part);
        match part {
            Part::Home => tiers.postgres.start(),
            Part::Redis => tiers.redis.restart(),
            Part::Qdrant | Part::Chroma => tiers.qdrant.restart(),
        }
    }
    crowd.writes_everywhere();
    crowd.end().check(&house);
}

#[test]
fn whichever_server_is_frozen_nothing_acknowledged_is_lost() {
    let Some(tiers) = Tiers::start() else { return };
    let house = tiers.house();
    let crowd = Crowd::begin(&house);
    for part in TIERS {
        crowd.writes_everywhere();
        match part {
            Part::Home => tiers.postgres.freeze(),
            Part::Redis => tiers.redis.freeze(),
            Part::Qdrant | Part::Chroma => tiers.qdrant.freeze(),
        }
        crowd.misses(part);
        match part {
            Part::Home => tiers.postgres.thaw(),
            Part::Redis => tiers.redis.thaw(),
            Part::Qdrant | Part::Chroma => tiers.qdrant.thaw(),
        }
    }
    crowd.writes_everywhere();
    crowd.end().check(&house);
}

#[test]
fn whichever_connection_is_cut_or_spoilt_nothing_acknowledged_is_lost() {
    let Some(tiers) = Tiers::start() else { return };
    let house = tiers.house();
    let crowd = Crowd::begin(&house);
    for part in TIERS {
        let way = tiers.way(part);
        crowd.writes_everywhere();
        for _ in 0..2 {
            way.cut_all();
            crowd.goes_on();
        }
        for manner in [Manner::Halves, spoiling(part)] {
            way.set(manner);
            crowd.misses(part);
            way.set(Manner::Passes);
            way.cut_all();
            crowd.writes_everywhere();
        }
    }
    crowd.end().check(&house);
}

#[test]
fn whichever_server_is_slow_nothing_acknowledged_is_lost() {
    let Some(tiers) = Tiers::start() else { return };
    let house = tiers.house();
    let crowd = Crowd::begin(&house);
    crowd.writes_everywhere();
    let before = tiers.ways.iter().map(Proxy::harmed).sum::<usize>();
    tiers.ways.iter().for_each(|way| way.set(Manner::Slow(SLOW)));
    crowd.misses_nothing();
    tiers.ways.iter().for_each(|way| way.set(Manner::Passes));
    assert!(tiers.ways.iter().map(Proxy::harmed).sum::<usize>() > before, "nothing was slow");
    for part in TIERS {
        crowd.writes_everywhere();
        tiers.way(part).set(Manner::Slow(TOO_SLOW));
        crowd.misses(part);
        tiers.way(part).set(Manner::Passes);
    }
    crowd.writes_everywhere();
    crowd.end().check(&house);
}

/// How late everything is that is said, while nobody has to notice.
const SLOW: Duration = Duration::from_millis(10);

/// How late it is when every answer comes too late.
const TOO_SLOW: Duration = Duration::from_secs(4);

/// Returns what is done to the answers of a part besides cutting them off in the middle.
fn spoiling(part: Part) -> Manner {
    match part {
        Part::Home => Manner::Silent,
        Part::Redis | Part::Qdrant | Part::Chroma => Manner::Spoils,
    }
}

#[test]
fn a_shelf_in_chroma_that_fails_loses_nothing_acknowledged() {
    let Some(mut server) = chroma::start() else { return };
    let way = Proxy::to(&format!("127.0.0.1:{}", server.port));
    let house = House::chroma(way.port);
    let crowd = Crowd::begin(&house);
    crowd.writes_everywhere();
    server.kill();
    crowd.misses(Part::Chroma);
    server.restart();
    crowd.writes_everywhere();
    server.freeze();
    crowd.misses(Part::Chroma);
    server.thaw();
    crowd.writes_everywhere();
    way.set(Manner::Slow(SLOW));
    crowd.misses_nothing();
    let bad = [Manner::Slow(TOO_SLOW), Manner::Halves, Manner::Spoils, Manner::Refuses];
    for manner in bad {
        way.set(Manner::Passes);
        crowd.writes_everywhere();
        way.set(manner);
        crowd.misses(Part::Chroma);
        way.set(Manner::Passes);
        way.cut_all();
    }
    crowd.writes_everywhere();
    crowd.end().check(&house);
}
