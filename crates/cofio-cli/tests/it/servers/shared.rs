//! Several stores on one server.

use std::collections::HashMap;
use std::sync::Arc;

use cofio::model::{Identifier, Scope, Timestamp};
use cofio::shelf::{Shelf, Slot};
use cofio::shelved::{Rule, Rules, Shelved};
use cofio::store::SqliteStore;
use cofio_adapters::redis::{Options, Redis};
use jiff::SignedDuration;
use pollster::block_on;

use super::{configure_as, own_word, provisioned, said};
use crate::machine::Machine;

/// Returns the home of a machine, and its shelf as the program calls it.
fn home(machine: &Machine, url: &str) -> (Arc<SqliteStore>, Arc<dyn Shelf>) {
    let home = SqliteStore::open(&machine.home("cofio.db")).unwrap();
    let prefix = format!("cofio-{}", home.unique_name());
    let shelf = Redis::new(&Options { prefix, ..Options::new(url) }).unwrap();
    (Arc::new(home), Arc::new(shelf))
}

#[test]
fn two_stores_on_one_server_with_the_same_scope_leave_each_other_alone() {
    let Some(url) = provisioned("redis") else { return };
    let (user, machines) = (own_word(), [Machine::new(), Machine::new()]);
    let lines = format!("routes = 'kind:fact -> redis'\nredis.url = '{url}'");
    for machine in &machines {
        configure_as(machine, &user, &lines);
        said(machine, "remember Alice drinks her tea black");
    }
    let scope = Scope::user(Identifier::new(&user).unwrap());
    let slots =
        |shelf: &Arc<dyn Shelf>| -> Vec<Slot> { block_on(shelf.slots(&scope, None, 10)).unwrap() };
    let (first, shelf) = home(&machines[0], &url);
    let (_, other) = home(&machines[1], &url);
    assert_eq!((slots(&shelf).len(), slots(&other).len()), (1, 1));
    assert_ne!(slots(&shelf), slots(&other));

    let name = Identifier::new("redis").unwrap();
    let rules = Rules(vec![Rule::everything(name.clone())]);
    let shelved =
        Shelved::new(first, HashMap::from([(name, shelf.clone())]), rules, Timestamp::now).unwrap();
    let now = Timestamp::now();
    for later in [0, 16] {
        let at = now + SignedDuration::from_mins(later);
        assert_eq!(block_on(shelved.sweep(std::slice::from_ref(&scope), at)).unwrap(), 0);
    }
    said(&machines[0], "forget --kind fact --yes");
    assert_eq!((slots(&shelf).len(), slots(&other).len()), (0, 1));
    assert!(said(&machines[1], "list").contains("tea black"));
    said(&machines[1], "forget --kind fact --yes");
}
