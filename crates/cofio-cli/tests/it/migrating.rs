//! Moving everything from one store to another, by the command.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::http::{Reply, Request, serve};
use crate::machine::{Machine, complaint};
use crate::servers::way::{Manner, Way};
use crate::servers::{own_word, provisioned, report, said};

/// Makes a store in a file with something of everything, and returns what was forgotten there too.
fn machine() -> (Machine, String) {
    let machine = Machine::new();
    fs::create_dir_all(machine.home("")).unwrap();
    fs::write(machine.home("config.toml"), "user = 'alice'\nembedder = 'none'\n").unwrap();
    said(&machine, "remember Alice drinks her tea black");
    said(&machine, "remember Alice moved to Oslo in May");
    said(&machine, "remember --kind episode Bob arrived in Cardiff");
    said(&machine, "remember The zinnia is to be forgotten");
    let listed = report(&machine, "list --json");
    let id_of = |text: &str| {
        let memories = listed["memories"].as_array().unwrap().iter();
        let mut found = memories.filter(|one| one["content"].as_str().unwrap().contains(text));
        found.next().unwrap()["id"].as_str().unwrap().to_owned()
    };
    let forgotten = id_of("zinnia");
    said(&machine, &format!("forget {forgotten} --yes"));
    said(&machine, &format!("edit {} --content Alice-lives-in-Bergen", id_of("Oslo")));
    (machine, forgotten)
}

/// Sets what the machine uses from now on.
fn set(machine: &Machine, lines: &str) {
    let file = format!("user = 'alice'\nembedder = 'none'\n{lines}");
    fs::write(machine.home("config.toml"), file).unwrap();
}

/// Returns what a store answers; that it was asked is on record there afterwards.
fn answers(machine: &Machine) -> Vec<Value> {
    let listed = unread(report(machine, "list --json"));
    let memories = listed["memories"].as_array().unwrap();
    let bergen = memories.iter().find(|one| one["content"].as_str().unwrap().contains("Bergen"));
    let id = bergen.unwrap()["id"].as_str().unwrap().to_owned();
    let history = unread(report(machine, &format!("history {id} --json")));
    let found = report(machine, "search how does alice take her tea --json");
    let first = found["results"][0]["memory"]["content"].clone();
    assert!(said(machine, "audit verify").contains("the record is whole"));
    vec![listed["memories"].clone(), history, first]
}

/// Leaves out how often anything was read.
fn unread(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            fields.retain(|name, _| !name.to_lowercase().contains("access"));
            fields.values_mut().for_each(|field| *field = unread(field.take()));
        }
        Value::Array(all) => all.iter_mut().for_each(|one| *one = unread(one.take())),
        _ => {}
    }
    value
}

fn parts(moved: &Value) -> Vec<(String, u64)> {
    let parts = moved["parts"].as_array().unwrap().iter();
    parts
        .map(|part| (part["part"].as_str().unwrap().to_owned(), part["count"].as_u64().unwrap()))
        .collect()
}

#[test]
fn a_store_is_moved_to_another_file_and_the_first_stays_as_it_is() {
    let (machine, forgotten) = machine();
    let before = fs::read(machine.home("cofio.db")).unwrap();
    let told = said(&machine, "migrate --to other.db --dry-run");
    assert!(told.contains("would move 3 memories"), "{told}");
    assert!(!machine.path("other.db").exists());
    let told = said(&machine, "migrate --to other.db");
    assert!(told.contains("moved 3 memories") && told.contains("tombstones: 1"), "{told}");
    assert!(told.contains("verified:") && told.contains("is as it was"), "{told}");
    assert_eq!(fs::read(machine.home("cofio.db")).unwrap(), before, "the source is not touched");
    let moved = report(&machine, "migrate --from embedded --to other.db --json");
    assert_eq!((&moved["verified"], &moved["passes"]), (&true.into(), &1.into()));
    assert!(parts(&moved).contains(&("memories".to_owned(), 3)), "{moved}");
    let told = said(&machine, "migrate --from embedded --to other.db");
    assert!(told.starts_with("nothing differs: ") && !told.contains("moved"), "{told}");
    let first = answers(&machine);
    set(&machine, &format!("store = '{}'", machine.path("other.db").display()));
    assert_eq!(answers(&machine), first);
    said(&machine, &format!("verify-forgotten {forgotten}"));
}

#[test]
fn what_cannot_be_moved_says_why() {
    let (machine, _) = machine();
    let refused = |arguments: &str| {
        let (told, code) = complaint(&machine.run(arguments));
        assert!(code != 0 && !told.contains("hunter2"), "{arguments}: {told}");
        told
    };
    let told = refused("migrate --to embedded");
    assert!(told.contains("in the same place") && told.contains("--store"), "{told}");
    assert!(refused("migrate --from nothing.db --to other.db").contains("there is no store"));
    assert!(refused("migrate --to mysql://me:hunter2@db/x").contains("only PostgreSQL"));
    refused("migrate --to postgres://me:hunter2@127.0.0.1:1/x");
    let told = refused("migrate --to postgres");
    assert!(told.contains("COFIO_POSTGRES_URL") && told.contains("(flag --to)"), "{told}");
    let told = refused("migrate --from postgres --to other.db");
    assert!(told.contains("(flag --from)") && !told.contains("--preset"), "{told}");
    said(&machine, "migrate --to other.db");
    said(&machine, "remember --store other.db Somebody wrote here");
    let told = refused("migrate --to other.db");
    assert!(told.contains("not in the source") && told.contains("empty destination"), "{told}");
    said(&machine, "remember --store third.db Nobody knows this");
    refused("migrate --to third.db");
    assert!(said(&machine, "list --store third.db").contains("Nobody knows this"));
}

/// Starts a move that is killed after a while.
fn kill_after(machine: &Machine, to: &str, wait: Duration) {
    let mut command = machine.command();
    command.args(["migrate", "--to", to]).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    sleep(wait);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Moves as soon as the lease of a move that was killed has ended.
fn move_at_last(machine: &Machine, to: &str) -> Output {
    for _ in 0..240 {
        let output = machine.run(&format!("migrate --to {to}"));
        if !String::from_utf8_lossy(&output.stderr).contains("another move") {
            return output;
        }
        sleep(Duration::from_millis(500));
    }
    panic!("the lease of a move that was killed does not end");
}

#[test]
fn a_move_that_was_killed_is_taken_up_again() {
    let (machine, _) = machine();
    let line = |number: u32| {
        format!("- The {number} ships of harbour {} sail on day {}\n", number * 7, number * 13)
    };
    machine.write("notes.md", (0..1_500).map(line).collect::<String>());
    said(&machine, "import notes.md --from markdown");
    let waits = (1..=100).map(|step| Duration::from_millis(40 * step));
    let unfinished = waits.enumerate().find_map(|(number, wait)| {
        let to = format!("other-{number}.db");
        kill_after(&machine, &to, wait);
        let (told, _) = complaint(&machine.run(&format!("list --store {to}")));
        told.contains("unfinished copy").then_some(to)
    });
    let to = unfinished.expect("some move is killed half-way");
    let output = move_at_last(&machine, &to);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = || {
        assert!(said(&machine, "audit verify").contains("the record is whole"));
        ["list --limit 100 --json", "search ships of harbour 700 --json"]
            .map(|asked| unread(report(&machine, asked)))
    };
    let first = answers();
    set(&machine, &format!("store = '{}'", machine.path(&to).display()));
    assert_eq!(answers(), first);
}

#[test]
fn a_schema_that_is_not_there_is_not_made_to_be_read() {
    let Some(postgres) = provisioned("postgres") else { return };
    let (machine, _) = machine();
    set(&machine, &format!("preset = 'embedded'\npostgres.url = '{postgres}'\n"));
    let arguments = format!("migrate --from postgres --from-schema {} --to other.db", own_word());
    for arguments in [format!("{arguments} --dry-run"), arguments.clone(), arguments] {
        let (told, code) = complaint(&machine.run(&arguments));
        assert!(code == 3 && told.contains("there is no store in the schema"), "{code} {told}");
    }
}

#[test]
fn everything_goes_to_postgres_to_shelves_and_back() {
    let (Some(postgres), Some(redis), Some(qdrant)) =
        (provisioned("postgres"), provisioned("redis"), provisioned("qdrant"))
    else {
        return;
    };
    let (machine, forgotten) = machine();
    let first = answers(&machine);
    let (one, two) = (own_word(), own_word());
    let servers = |preset: &str, schema: &str| {
        format!(
            "preset = '{preset}'\npostgres.url = '{postgres}'\npostgres.schema = '{schema}'\n\
             redis.url = '{redis}'\nredis.promise = 'as-configured'\nqdrant.url = '{qdrant}'\n"
        )
    };
    set(&machine, &servers("embedded", &one));
    let check = |arguments: &str| {
        let told = said(&machine, arguments);
        assert!(told.contains("verified:") && !told.contains("only-for-tests"), "{told}");
    };
    let planned = |arguments: &str| said(&machine, &format!("migrate --to {arguments} --dry-run"));
    let told = planned("postgres");
    assert!(told.contains("would move") && !told.contains("there already"), "{told}");
    check("migrate --to postgres");
    assert!(planned("postgres").contains("there already"));
    set(&machine, &servers("postgres", &one));
    assert_eq!(answers(&machine), first, "in PostgreSQL");
    said(&machine, "remember Carol came to PostgreSQL");
    let (told, _) = complaint(&machine.run("migrate --to tiered"));
    assert!(told.contains("in the same place") && told.contains("--to-schema"), "{told}");
    check(&format!("migrate --to tiered --to-schema {two}"));
    set(&machine, &servers("tiered", &two));
    let tiered = answers(&machine);
    assert!(said(&machine, "list").contains("Carol came"));
    check("migrate --to embedded");
    set(&machine, &servers("embedded", &two));
    assert_eq!(answers(&machine), tiered, "back in the file");
    assert!(said(&machine, "list").contains("Carol came"));
    said(&machine, &format!("verify-forgotten {forgotten}"));
}

/// Starts a server to which texts are the closer the closer the first numbers in them are, and
/// returns its port and the texts that it was given.
fn embedder() -> (u16, Arc<Mutex<Vec<String>>>) {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let texts = Arc::clone(&seen);
    let port = serve(move |request: &Request| {
        let request: Value = serde_json::from_slice(&request.body).unwrap();
        let asked = request["input"].as_array().unwrap().iter().filter_map(Value::as_str);
        let vectors = asked.enumerate().map(|(index, text)| {
            texts.lock().unwrap().push(text.to_owned());
            let number = text.split(' ').find_map(|word| word.parse::<f64>().ok());
            let wave = |place: u32| {
                let place = f64::from(place);
                (number.unwrap_or(-1_000.0) * place / 500.0 + place).cos()
            };
            let vector: Vec<f64> = (0..128).map(wave).collect();
            json!({"index": index, "embedding": vector})
        });
        let body = json!({"data": vectors.collect::<Vec<_>>()}).to_string();
        Reply { status: 200, kind: "application/json", body }
    });
    (port, seen)
}

#[test]
fn a_move_to_servers_that_was_killed_goes_on_and_embeds_nothing_anew() {
    let (Some(postgres), Some(redis), Some(qdrant)) =
        (provisioned("postgres"), provisioned("redis"), provisioned("qdrant"))
    else {
        return;
    };
    let (machine, schema, project) = (Machine::new(), own_word(), own_word());
    let (port, embedded) = embedder();
    let way = Way::to(qdrant.trim_start_matches("http://"));
    let settings = |preset: &str| {
        let file = format!(
            "user = 'alice'\nproject = '{project}'\npreset = '{preset}'\nembedder = 'openai'\n\
             openai.url = 'http://127.0.0.1:{port}/v1'\npostgres.url = '{postgres}'\n\
             postgres.schema = '{schema}'\nredis.url = '{redis}'\n\
             redis.promise = 'as-configured'\nqdrant.url = 'http://{}'\n\
             retry.timeout_ms = 30000\n",
            way.address
        );
        fs::create_dir_all(machine.home("")).unwrap();
        fs::write(machine.home("config.toml"), file).unwrap();
    };
    settings("embedded");
    let line = |number: u32| {
        format!("- The {number} ships of harbour {} sail on day {}\n", number * 7, number * 13)
    };
    machine.write("notes.md", (0..600).map(line).collect::<String>());
    said(&machine, "import notes.md --from markdown --layer project");
    said(&machine, "remember --kind context The harbour is closed today");
    said(&machine, "embed");
    let search = || {
        let asked = "search which ships are about 100.3 --mode semantic --limit 5 --json";
        let found = report(&machine, asked);
        let results = found["results"].as_array().unwrap().iter();
        let memories = results.map(|result| {
            let memory = &result["memory"];
            [&memory["id"], &memory["content"]].map(|field| field.as_str().unwrap().to_owned())
        });
        memories.collect::<Vec<_>>()
    };
    let first = search();
    let ships = [100, 101, 99, 102, 98].map(|number| format!("The {number} ships of"));
    let is_found = |(found, ship): (&[String; 2], &String)| found[1].starts_with(ship);
    assert!(first.len() == 5 && first.iter().zip(&ships).all(is_found), "{first:?}");

    way.fall_silent_after(200_000);
    let mut command = machine.command();
    command.args(["migrate", "--to", "tiered"]).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let told = BufReader::new(child.stderr.take().unwrap()).lines().next().unwrap().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let figures: Vec<u32> = told.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(told.starts_with("moving: ") && told.ends_with(" s"), "{told}");
    assert!(figures[0] > 0 && figures[0] < figures[1] && figures[1] > 600, "{told}");
    settings("tiered");
    let (refused, _) = complaint(&machine.run("list"));
    assert!(refused.contains("unfinished copy"), "{refused}");

    settings("embedded");
    way.set(Manner::Passes);
    embedded.lock().unwrap().clear();
    let output = move_at_last(&machine, "tiered");
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("verified:") && told.contains(" written)"), "{told}");
    settings("tiered");
    assert_eq!(search(), first, "what was found on the source is found here");
    let embeddings = report(&machine, "doctor --json")["embeddings"].take();
    assert_eq!(embeddings["perCent"], 100, "{embeddings}");
    assert_eq!(
        *embedded.lock().unwrap(),
        ["which ships are about 100.3"],
        "nothing else is embedded"
    );
}
