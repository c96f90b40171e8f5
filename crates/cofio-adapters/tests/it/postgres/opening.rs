//! Opening: what is made, who is waited for and for how long, and what is looked at first.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use cofio::ErrorKind;
use cofio::model::{Component, Status, Timestamp};
use cofio::store::{Movable as _, Part, Store as _};
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use pollster::block_on;

use super::outages::waits_for_a_lock;
use super::place::{Admin, Place, url};
use super::world::{engine, remember};
use crate::servers::postgres::Server;
use crate::shelves::faults::wait_until;

const SOON: Duration = Duration::from_millis(400);

#[test]
fn what_is_made_already_is_not_touched_by_opening() {
    let Some(place) = Place::new() else { return };
    drop(place.open());
    let sql = format!(
        "SELECT relname || xmin FROM pg_class WHERE relnamespace = '{}'::regnamespace
           AND relkind = 'r' ORDER BY 1",
        place.options.schema
    );
    let before = place.ask(&sql);
    drop(place.open());
    assert_eq!(place.ask(&sql), before);
}

#[test]
fn what_the_role_may_do_is_set_right_by_the_owner() {
    let Some(place) = Place::new() else { return };
    drop(place.open());
    let worker = place.options.worker();
    place.run(&format!(
        "REVOKE INSERT ON memories FROM {worker}; GRANT DELETE ON audit TO {worker}"
    ));
    let store = Arc::new(place.open());
    remember(&engine(&store), "alice", "the zebra").unwrap();
    let may = format!("SELECT has_table_privilege('{worker}', 'audit', 'DELETE')");
    assert_eq!(place.ask(&may), ["f"]);
}

#[test]
fn whoever_makes_tables_keeps_others_waiting_for_a_time_and_other_schemas_not_at_all() {
    let (Some(place), Some(other)) = (Place::new(), Place::new()) else { return };
    let watch = Admin::new(&url().unwrap());
    // Whoever makes the same schema has to wait for the end of this.
    place.run(&format!("BEGIN; CREATE SCHEMA {}", place.options.schema));
    thread::scope(|threads| {
        let making = threads.spawn(|| drop(place.open()));
        wait_until("it is in the middle", || waits_for_a_lock(&watch, &place));
        drop(other.open());

        let begun = Instant::now();
        let hasty = PostgresOptions { lock_timeout: SOON, ..place.options.clone() };
        let error = PostgresStore::open(&hasty).unwrap_err();
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        assert!(error.kind().retryable(), "{error:?}");
        let process = watch.ask(&format!(
            "SELECT pid FROM pg_stat_activity
             WHERE application_name = '{}' AND wait_event_type = 'Lock'",
            place.options.schema
        ));
        assert_eq!(
            error.to_string(),
            format!(
                "another process makes or changes the tables of the schema {} in PostgreSQL, and \
                 was not done within 0.4 s: it is process {} in pg_stat_activity",
                place.options.schema, process[0]
            )
        );
        place.run("ROLLBACK");
        making.join().unwrap();
    });
    drop(place.open());
}

#[test]
fn making_tables_takes_no_longer_than_agreed_and_leaves_nothing_by_halves() {
    let Some(place) = Place::new() else { return };
    place.run(&format!("BEGIN; CREATE SCHEMA {}", place.options.schema));
    let options = PostgresOptions { migration_timeout: SOON, ..place.options.clone() };
    let error = PostgresStore::open(&options).unwrap_err();
    assert!(error.kind().retryable(), "{error:?}");
    assert!(error.to_string().contains("took longer than 0.4 s"), "{error}");
    place.run("ROLLBACK");
    assert_eq!(made(&place), ["0", "0"]);
    drop(place.open());
}

#[test]
fn of_many_who_make_schemas_on_a_new_server_none_fails() {
    let Some(server) = Server::new() else { return };
    Admin::new(&server.url()).ask("CREATE DATABASE second");
    let second = format!("postgres://postgres@127.0.0.1:{}/second", server.port);
    thread::scope(|threads| {
        for url in [server.url(), second] {
            for schema in ["cofio", "other", "third"] {
                let schema = schema.to_owned();
                let options = PostgresOptions { schema, ..PostgresOptions::new(url.clone()) };
                threads.spawn(move || drop(PostgresStore::open(&options).unwrap()));
            }
        }
    });
}

#[test]
fn whoever_looks_makes_nothing() {
    let Some(place) = Place::new() else { return };
    let look = || PostgresStore::open_to_look(&place.options);
    assert_eq!(look().unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(made(&place), ["0", "0"]);

    let store = Arc::new(place.open());
    remember(&engine(&store), "alice", "the zebra").unwrap();
    assert_eq!(block_on(look().unwrap().count(Part::Memories)).unwrap(), 1);

    let versions = || place.ask("SELECT max(version) FROM migrations");
    let current = versions();
    place.run("DELETE FROM migrations WHERE version = (SELECT max(version) FROM migrations)");
    let before = versions();
    let error = look().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.to_string().contains("cofio doctor"), "{error}");
    assert_ne!(before, current);
    assert_eq!(versions(), before);
}

/// Returns how many schemas and roles of a place there are.
fn made(place: &Place) -> [String; 2] {
    let PostgresOptions { schema, .. } = &place.options;
    [
        format!("SELECT count(*) FROM pg_namespace WHERE nspname = '{schema}'"),
        format!("SELECT count(*) FROM pg_roles WHERE rolname = '{}'", place.options.worker()),
    ]
    .map(|sql| place.ask(&sql)[0].clone())
}

#[test]
fn a_commit_waits_for_the_disk_whatever_the_database_says() {
    let Some(place) = Place::new() else { return };
    drop(place.open());
    place.run(
        "CREATE TABLE waited (setting text);
         CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN INSERT INTO waited VALUES (current_setting(''synchronous_commit'')); RETURN NEW; END';
         CREATE TRIGGER note BEFORE INSERT ON memories FOR EACH ROW EXECUTE FUNCTION note()",
    );
    let check = |said: &str, expected: &str| {
        let url = format!("{}&options=-c%20synchronous_commit%3D{said}", place.options.url);
        let store = PostgresStore::open(&PostgresOptions { url, ..place.options.clone() }).unwrap();
        let store = Arc::new(store);
        remember(&engine(&store), "alice", &format!("the zebra is {said}")).unwrap();
        assert_eq!(place.ask("DELETE FROM waited RETURNING setting"), [expected], "{said}");
    };
    check("off", "on");
    check("on", "on");
    check("local", "local");
    check("remote_write", "remote_write");
    check("remote_apply", "remote_apply");
}

#[test]
fn a_server_that_may_lose_what_it_acknowledged_says_so() {
    let check = |settings: &str, status: Status, message: &str| {
        let Some(server) = Server::with(settings) else { return };
        let store = PostgresStore::open(&PostgresOptions::new(server.url())).unwrap();
        let health = block_on(store.health(&Timestamp::now).remove(0).done()).health.unwrap();
        let durability = health.components.iter().find(|part| part.name == "durability");
        let Component { message: said, .. } = durability.unwrap();
        assert!(said.contains(message), "{settings}: {said}");
        assert_eq!(health.status, status, "{settings}");
    };
    check("-c fsync=on", Status::Healthy, "synchronous_commit on");
    check("-c fsync=on -c synchronous_commit=off", Status::Healthy, "synchronous_commit on");
    check("-c fsync=off", Status::Degraded, "set fsync to on");
    check("-c fsync=on -c full_page_writes=off", Status::Degraded, "set full_page_writes to on");
}
