//! Texts that stand somewhere else once their memory is in another state.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use cofio::model::{Identifier, Scope};
use cofio::shelf::Shelf;
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use cofio_adapters::qdrant::{Options, Qdrant};
use pollster::block_on;

use super::{configure_as, own_word, provisioned, report, said};
use crate::machine::Machine;

/// Returns what the memories of a schema are now, as an administrator sees their rows; what they
/// were stands in another table.
fn rows(postgres: &str, schema: &str) -> String {
    let programs = PathBuf::from(std::env::var_os("COFIO_TEST_POSTGRES_BIN").unwrap());
    let mut command = Command::new(programs.join("pg_dump"));
    let table = format!("{schema}.memories");
    let output = command.args(["--data-only", "--table", &table, postgres]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_is_put_away_moves_to_another_server_and_comes_back() {
    let (Some(postgres), Some(redis), Some(qdrant)) =
        (provisioned("postgres"), provisioned("redis"), provisioned("qdrant"))
    else {
        return;
    };
    let (machine, user, schema) = (Machine::new(), own_word(), own_word());
    let lines = format!(
        "preset = 'tiered'\npostgres.url = '{postgres}'\npostgres.schema = '{schema}'\n\
         redis.url = '{redis}'\nqdrant.url = '{qdrant}'"
    );
    configure_as(&machine, &user, &lines);
    let text = "Alice drinks her zinnia tea black";
    said(&machine, &format!("remember {text}"));
    let listed = report(&machine, "list --json");
    let id = listed["memories"][0]["id"].as_str().unwrap().to_owned();

    let options = PostgresOptions { schema: schema.clone(), ..PostgresOptions::new(&postgres) };
    let prefix = format!("cofio-{}", PostgresStore::open(&options).unwrap().unique_name());
    let shelf = Qdrant::new(&Options { prefix, ..Options::new(&qdrant) }).unwrap();
    let shelf: Arc<dyn Shelf> = Arc::new(shelf);
    let scope = Scope::user(Identifier::new(&user).unwrap());
    let on_shelf = || -> Vec<String> {
        let slots = block_on(shelf.slots(&scope, None, 10)).unwrap();
        block_on(shelf.get(&slots)).unwrap().into_iter().flatten().collect()
    };
    assert!(on_shelf().is_empty());
    assert!(rows(&postgres, &schema).contains(text), "at first it stands at home");

    said(&machine, &format!("archive {id}"));
    assert_eq!(on_shelf(), [text]);
    let kept = rows(&postgres, &schema);
    assert!(
        kept.contains(&id) && !kept.contains(text),
        "it is put away, and still at home: {kept}"
    );
    assert!(!said(&machine, "search zinnia").contains(text));
    assert!(said(&machine, "search zinnia --state archived").contains(text));
    assert!(said(&machine, "list --state archived").contains(text));

    said(&machine, &format!("archive --bring-back {id}"));
    assert!(said(&machine, "search zinnia").contains(text));
    assert!(rows(&postgres, &schema).contains(text), "it is back, and not at home");
    said(&machine, &format!("forget {id} --yes"));
    assert!(on_shelf().is_empty(), "what it was while it was put away is left there");
}
