//! Whose rows the store's role sees, and which roles are refused.

use std::sync::Arc;

use cofio::ErrorKind;
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};

use super::place::Place;
use super::world::{engine, remember, search};

/// Every table that holds something of somebody.
const HELD: [&str; 13] = [
    "memories",
    "versions",
    "passages",
    "authors",
    "mentions",
    "derivations",
    "vectors",
    "pending",
    "tombstones",
    "rejections",
    "unshelved",
    "changes",
    "stages",
];

/// Returns a place where two people remember something, the first in scope 1.
fn inhabited() -> Option<Place> {
    let place = Place::new()?;
    let store = Arc::new(place.open());
    let engine = engine(&store);
    remember(&engine, "alice", "Alice saw the zebra in Paris").unwrap();
    remember(&engine, "bob", "Bob saw the zebra in London").unwrap();
    Some(place)
}

#[test]
fn a_transaction_sees_the_scopes_that_it_has_opened_and_no_others() {
    let Some(place) = inhabited() else { return };
    let count = |table: &str| place.ask(&format!("SELECT count(*) FROM {table}"))[0].clone();
    assert_eq!(count("memories"), "2", "an administrator sees everything");
    place.run(&format!("SET ROLE {}", place.options.worker()));
    for table in HELD {
        assert_eq!(count(table), "0", "{table} before anything was opened");
    }
    place.run("SET cofio.scopes = '{1}'");
    assert_eq!(place.ask("SELECT document FROM memories").len(), 1);
    assert!(place.ask("SELECT document FROM memories")[0].contains("Alice"));
    for table in ["memories", "passages", "changes", "pending"] {
        assert_eq!(count(table), "1", "{table}");
        assert_eq!(place.ask(&format!("SELECT DISTINCT scope FROM {table}")), ["1"]);
    }
    let found = |scopes: &str| {
        let both = "'''1:zebra''|''2:zebra'''";
        let [all, first] = ["places", "first_places"].map(|function| {
            place.ask(&format!(
                "SELECT cardinality(memories) FROM {function}('{{{scopes}}}', ARRAY[{both}], 10)"
            ))
        });
        assert_eq!(all, first);
        all
    };
    assert_eq!((found("1"), found("2"), found("1,2")), (one(1), one(0), one(1)));
    place.run("SET cofio.scopes = 'all'");
    assert_eq!((count("memories"), found("1,2")), ("2".to_owned(), one(2)));
}

fn one(count: u32) -> Vec<String> {
    vec![count.to_string()]
}

#[test]
fn nothing_is_written_to_a_scope_that_is_not_open() {
    let Some(place) = inhabited() else { return };
    place.run(&format!("SET ROLE {}; SET cofio.scopes = '{{1}}'", place.options.worker()));
    let changed =
        |sql: &str| place.ask(&format!("WITH c AS ({sql} RETURNING 1) SELECT count(*) FROM c"));
    assert_eq!(changed("UPDATE memories SET state = 'archived'"), one(1));
    assert_eq!(changed("DELETE FROM memories WHERE scope = 2"), one(0));
    let refused = |sql: &str| {
        let error = place.fails(sql);
        let reasons = ["row-level security", "permission denied", "must be owner"];
        assert!(reasons.iter().any(|reason| error.contains(reason)), "{sql}: {error}");
    };
    refused("INSERT INTO rejections (scope, value, at) VALUES (2, 'x', 0)");
    refused("UPDATE memories SET scope = 2");
    refused("DELETE FROM audit");
    refused("UPDATE changes SET kind = 'deleted'");
    refused("DELETE FROM tombstones");
    refused("ALTER TABLE memories DISABLE ROW LEVEL SECURITY");
}

#[test]
fn every_table_with_a_scope_shows_only_what_was_opened() {
    let Some(place) = inhabited() else { return };
    let guarded = place.ask(&format!(
        "SELECT c.relname FROM pg_class AS c
         WHERE c.relnamespace = '{}'::regnamespace AND c.relkind = 'r'
           AND c.relrowsecurity AND c.relforcerowsecurity ORDER BY 1",
        place.options.schema
    ));
    let mut held = HELD.to_vec();
    held.sort_unstable();
    assert_eq!(guarded, held);
}

#[test]
fn a_role_that_sees_everything_is_refused() {
    let Some(place) = inhabited() else { return };
    let worker = place.options.worker();
    let check = |before: &str, after: &str, why: &str| {
        place.run(before);
        let error = PostgresStore::open(&place.options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{before}");
        assert!(error.to_string().contains(why), "{error}");
        place.run(after);
        drop(place.open());
    };
    let alter = |what: &str| format!("ALTER ROLE {worker} {what}");
    check(&alter("BYPASSRLS"), &alter("NOBYPASSRLS"), "BYPASSRLS");
    check(&alter("SUPERUSER"), &alter("NOSUPERUSER"), "SUPERUSER");
    check(
        "ALTER TABLE versions NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE versions FORCE ROW LEVEL SECURITY",
        "switched off",
    );
    let owner = place.ask("SELECT current_user")[0].clone();
    check(
        &format!("ALTER TABLE memories OWNER TO {worker}"),
        &format!("ALTER TABLE memories OWNER TO {owner}"),
        "owns",
    );
}

#[test]
fn a_role_without_privileges_is_told_what_to_do_and_then_works() {
    let Some(place) = Place::new() else { return };
    let (worker, plain) = (place.options.worker(), format!("plain_{}", place.options.schema));
    place.run(&format!(
        "CREATE EXTENSION IF NOT EXISTS vector; CREATE ROLE {plain} LOGIN PASSWORD 'pw';
         GRANT CREATE ON DATABASE postgres TO {plain}"
    ));
    let url = place.options.url.replacen("postgres:only-for-tests", &format!("{plain}:pw"), 1);
    let options = PostgresOptions { url, ..place.options.clone() };
    let error = PostgresStore::open(&options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.to_string().contains(&format!("CREATE ROLE {worker} NOLOGIN")), "{error}");
    place.run(&format!("CREATE ROLE {worker} NOLOGIN; GRANT {worker} TO {plain}"));
    let store = Arc::new(PostgresStore::open(&options).unwrap());
    let engine = engine(&store);
    remember(&engine, "alice", "Alice saw the zebra").unwrap();
    remember(&engine, "bob", "Bob saw the zebra too").unwrap();
    assert_eq!(search(&engine, "alice", "zebra").unwrap(), ["Alice saw the zebra"]);
    drop((engine, store));
    place.run(&format!(
        "DROP SCHEMA {} CASCADE; DROP OWNED BY {plain}; DROP ROLE {plain}",
        place.options.schema
    ));
}
