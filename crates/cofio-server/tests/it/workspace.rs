//! The tools of the workspace of markdown files.

use cofio::model::{Channel, Identifiers, Kind, Layer, Scope};
use cofio_server::dialects::Writer;
use cofio_server::dialects::workspace::{LearnFact, Recall, Reflect, Remember, Search, Workspace};
use jiff::SignedDuration;
use pollster::block_on;

use crate::fixture::{Fixture, named};

/// Makes the workspace of an agent of a user in a project.
fn workspace(fixture: &Fixture, user: &str, agent: &str, project: &str) -> Workspace {
    through(fixture, user, agent, project, Channel::ExplicitSave)
}

fn through(
    fixture: &Fixture,
    user: &str,
    agent: &str,
    project: &str,
    channel: Channel,
) -> Workspace {
    let names = [(Layer::User, user), (Layer::Agent, agent), (Layer::Project, project)];
    let identifiers = names
        .iter()
        .fold(Identifiers::default(), |all, (layer, name)| all.with(*layer, named(name)));
    let writer = |layer| Writer {
        scope: Scope::new(layer, &identifiers).unwrap(),
        ..fixture.writer_through(user, channel)
    };
    Workspace::new(writer(Layer::Project), writer(Layer::Agent))
}

fn recall(workspace: &Workspace, days: u16) -> String {
    block_on(workspace.recall(Recall { days })).unwrap()
}

fn remember(workspace: &Workspace, content: &str) -> String {
    block_on(workspace.remember(Remember { content: content.to_owned() })).unwrap()
}

fn reflect(workspace: &Workspace, content: Option<&str>) -> String {
    block_on(workspace.reflect(Reflect { content: content.map(str::to_owned) })).unwrap()
}

fn learn(workspace: &Workspace, topic: &str, content: &str) -> String {
    let (topic, content) = (topic.to_owned(), content.to_owned());
    block_on(workspace.learn_fact(LearnFact { topic, content })).unwrap()
}

fn search(workspace: &Workspace, query: &str, days: Option<(&str, &str)>) -> String {
    let (from, to) = days.map(|(from, to)| (from.to_owned(), to.to_owned())).unzip();
    let query = query.to_owned();
    block_on(workspace.search(Search { query, from, to, limit: 10 })).unwrap()
}

#[test]
fn what_is_older_is_found_by_words_and_days() {
    let fixture = Fixture::at("2026-03-01T09:05:00Z");
    let helper = workspace(&fixture, "alice", "helper", "cofio");
    let people: Vec<String> = (0..500).map(|one| format!("- Person {one}: desk {one}")).collect();
    learn(&helper, "people", &people.join("\n"));
    remember(&helper, "The desk of the release is empty.");
    fixture.wait(SignedDuration::from_hours(24 * 30));
    remember(&helper, "The desk is taken.");
    let found = search(&helper, "desk of the release", None);
    assert!(found.contains("## agents/helper/daily/2026-03-01.md\n\nThe desk of"), "{found}");
    let page = search(&helper, "person 321", None);
    assert!(page.contains("## world/people.md") && page.contains("Person 321:"), "{page}");
    assert!(page.len() < 2_000, "a long page is not shown whole");
    let march = search(&helper, "desk", Some(("2026-03-31", "2026-03-31")));
    assert!(march.contains("2026-03-31.md") && !march.contains("release"), "{march}");
    assert_eq!(search(&helper, "desk", Some(("2020-01-01", "2020-12-31"))), "Nothing was found");
    let other = workspace(&fixture, "alice", "other", "cofio");
    assert!(!search(&other, "desk of the release", None).contains("release"), "agents are apart");
}

#[test]
fn everything_is_read_as_sections_of_markdown() {
    let fixture = Fixture::at("2026-03-01T09:05:00Z");
    let helper = workspace(&fixture, "alice", "helper", "cofio");
    assert_eq!(recall(&helper, 3), "No memories found");
    assert_eq!(learn(&helper, "The Systems!", "- DB: SQLite"), "Updated world/the-systems.md.");
    assert_eq!(learn(&helper, "people", "- Alice: keeps it"), "Updated world/people.md.");
    assert_eq!(reflect(&helper, Some("Be brief.")), "Updated agents/helper/MEMORY.md.");
    let file = "Remembered in agents/helper/daily/2026-03-01.md.";
    assert_eq!(remember(&helper, "Fixed the build."), file);
    assert_eq!(remember(&helper, "Fixed the build."), file, "the same may happen again");
    fixture.wait(SignedDuration::from_hours(24));
    remember(&helper, "Released it.");
    let expected = "\
# World Knowledge

## people

- Alice: keeps it

## the-systems

- DB: SQLite

---

# Your Memory

Be brief.

---

# Recent Experiences

# 2026-03-02

## 09:05

Released it.


---

# 2026-03-01

## 09:05

Fixed the build.

## 09:05

Fixed the build.
";
    assert_eq!(recall(&helper, 3), expected);
    assert!(recall(&helper, 1).ends_with("# 2026-03-02\n\n## 09:05\n\nReleased it.\n"));
    assert!(recall(&helper, 0).ends_with("Be brief."));
    fixture.wait(SignedDuration::from_hours(48));
    assert!(!recall(&helper, 3).contains("Fixed the build."));
    assert!(recall(&helper, u16::MAX).contains("Fixed the build."));
}

#[test]
fn what_is_replaced_is_in_the_history() {
    let fixture = Fixture::new();
    let helper = workspace(&fixture, "alice", "helper", "cofio");
    assert_eq!(
        reflect(&helper, None),
        "MEMORY.md is empty: call reflect with content to write it."
    );
    for text in ["Be brief.", "Be brief and kind."] {
        reflect(&helper, Some(text));
        learn(&helper, "people", text);
    }
    assert_eq!(reflect(&helper, None), "Current MEMORY.md:\n\nBe brief and kind.");
    assert_eq!(recall(&helper, 3).matches("Be brief").count(), 2);
    let scopes = [("alice", Layer::Agent), ("alice", Layer::Project)];
    for ((user, layer), kind) in scopes.into_iter().zip([Kind::Reflection, Kind::Fact]) {
        let kept = fixture.kept_on(user, layer);
        assert_eq!((kept.len(), kept[0].kind, kept[0].version), (1, kind, 2));
    }
}

#[test]
fn the_world_is_shared_and_agents_are_apart() {
    let fixture = Fixture::new();
    let helper = workspace(&fixture, "alice", "helper", "cofio");
    learn(&helper, "people", "Alice keeps it");
    reflect(&helper, Some("my own memory"));
    remember(&helper, "my own day");
    let other_agent = recall(&workspace(&fixture, "alice", "other", "cofio"), 3);
    assert_eq!(other_agent, "# World Knowledge\n\n## people\n\nAlice keeps it");
    let other_user = recall(&workspace(&fixture, "bob", "helper", "cofio"), 3);
    assert_eq!(other_user, other_agent);
    let other_project = recall(&workspace(&fixture, "alice", "helper", "secret"), 3);
    assert!(!other_project.contains("people") && other_project.contains("my own memory"));
}

#[test]
fn what_nobody_has_approved_is_not_shared() {
    let fixture = Fixture::new();
    let model = through(&fixture, "alice", "helper", "cofio", Channel::Inference);
    let waits = "It waits for review and is not recalled before the user approves it.";
    assert_eq!(learn(&model, "bank", "It is Acme Bank"), format!("Updated world/bank.md. {waits}"));
    reflect(&model, Some("The bank may be Acme Bank"));
    remember(&model, "Read about a bank.");
    let all = recall(&model, 3);
    assert!(!all.contains("It is Acme Bank"), "{all}");
    assert!(all.contains("The bank may be") && all.contains("Read about a bank."), "{all}");
}

#[test]
fn secrets_are_taken_out_and_nothing_is_no_entry() {
    let fixture = Fixture::new();
    let helper = workspace(&fixture, "alice", "helper", "cofio");
    let answer = remember(&helper, "used AKIAIOSFODNN7EXAMPLE");
    assert!(answer.ends_with("Secrets were taken out of it."), "{answer}");
    assert!(recall(&helper, 3).contains("used [SECRET_REDACTED]"));
    let empty = block_on(helper.remember(Remember { content: " \n".to_owned() }));
    assert_eq!(empty.unwrap_err().to_string(), "there is nothing to remember in an empty text");
    let unnamed = LearnFact { topic: "../..".to_owned(), content: "x".to_owned() };
    assert_eq!(
        block_on(helper.learn_fact(unnamed)).unwrap_err().to_string(),
        "a topic needs a letter or a digit"
    );
}
