//! The folders of everybody whose memories stand in one workspace.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::files::folder::{Relative, folded};
use crate::model::{Identifier, Identifiers, Layer, Scope};

/// The folders that are somebody's, by what they are called.
const AGENTS: &str = "agents";
const USERS: &str = "users";
const SESSIONS: &str = "sessions";
const OTHERS: [(&str, Layer); 4] = [
    ("projects", Layer::Project),
    ("teams", Layer::Team),
    ("orgs", Layer::Org),
    ("companies", Layer::Company),
];

/// Whose memories stand where.
///
/// What everybody shares stands at the top; an agent of the user has the folder `agents/ID`, and
/// everybody else one that says whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// Whose memories everybody shares.
    pub world: Scope,
    /// Whose agents they are.
    pub user: Identifier,
    /// The folders of agents that are called as no folder would be that we make.
    pub(super) odd: BTreeSet<String>,
}

impl Workspace {
    /// Lets a user's agents share what is known to a scope.
    pub fn new(world: Scope, user: Identifier) -> Self {
        Self { world, user, odd: BTreeSet::new() }
    }

    /// Takes note of the folders of agents that another program made.
    pub(super) fn look_into(&mut self, folder: &Path) {
        let agents = folder.join(AGENTS).read_dir().into_iter().flatten().flatten();
        let names = agents.filter_map(|agent| agent.file_name().into_string().ok());
        let odd = |name: &String| Identifier::new(name).is_ok_and(|own| encoded(&own) != *name);
        self.odd = names.filter(odd).filter(|name| Relative::new(name).is_ok()).collect();
    }

    /// Returns the folder of an agent.
    fn agents(&self, agent: &Identifier) -> String {
        if self.odd.contains(agent.as_str()) { agent.as_str().to_owned() } else { encoded(agent) }
    }

    /// Returns what stands before the paths of a scope's files.
    pub(super) fn prefix(&self, scope: &Scope) -> String {
        if *scope == self.world {
            return String::new();
        }
        let name = |layer| scope.identifiers().get(layer).map(encoded).unwrap_or_default();
        let user = || format!("{USERS}/{}/", name(Layer::User));
        match scope.layer() {
            Layer::Agent => {
                let whose = scope.identifiers().get(Layer::User) != Some(&self.user);
                let own = scope.identifiers().get(Layer::Agent).filter(|_| !whose);
                match own {
                    Some(agent) => format!("{AGENTS}/{}/", self.agents(agent)),
                    None => format!("{}{AGENTS}/{}/", user(), name(Layer::Agent)),
                }
            }
            Layer::User => user(),
            Layer::Session => format!("{}{SESSIONS}/{}/", user(), name(Layer::Session)),
            other => {
                let folder = OTHERS.iter().find(|(_, layer)| *layer == other);
                format!("{}/{}/", folder.map_or("", |(folder, _)| folder), name(other))
            }
        }
    }

    /// Returns whose file it is, and its path among those.
    ///
    /// A file that stands between the folders of several is nobody's.
    pub(super) fn owner<'a>(&self, path: &'a str) -> Option<(Scope, &'a str)> {
        let (folder, rest) = path.split_once('/').unwrap_or(("", path));
        let other = OTHERS.iter().find(|(name, _)| *name == folder).map(|(_, layer)| *layer);
        let (layer, names, inner) = match (folder, other) {
            (AGENTS, _) => {
                let (agent, inner) = self.odd_agent(rest).or_else(|| named(rest))?;
                (Layer::Agent, vec![(Layer::User, self.user.clone()), (Layer::Agent, agent)], inner)
            }
            (USERS, _) => of_user(rest)?,
            (_, Some(layer)) => {
                let (name, inner) = named(rest)?;
                (layer, vec![(layer, name)], inner)
            }
            _ => return Some((self.world.clone(), path)),
        };
        let all = names
            .into_iter()
            .fold(Identifiers::default(), |all, (layer, name)| all.with(layer, name));
        let scope = Scope::new(layer, &all).ok()?;
        // What has a folder of its own elsewhere is not read twice.
        (format!("{}{inner}", self.prefix(&scope)) == path).then_some((scope, inner))
    }
}

impl Workspace {
    fn odd_agent<'a>(&self, path: &'a str) -> Option<(Identifier, &'a str)> {
        let (name, inner) = path.split_once('/').filter(|(name, _)| self.odd.contains(*name))?;
        Some((Identifier::new(name).ok()?, inner))
    }
}

type Owner<'a> = (Layer, Vec<(Layer, Identifier)>, &'a str);

fn of_user(rest: &str) -> Option<Owner<'_>> {
    let (user, inner) = named(rest)?;
    let own = (Layer::User, user);
    for (folder, layer) in [(AGENTS, Layer::Agent), (SESSIONS, Layer::Session)] {
        if let Some(below) = inner.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) {
            let (name, inner) = named(below)?;
            return Some((layer, vec![own, (layer, name)], inner));
        }
    }
    Some((Layer::User, vec![own], inner))
}

/// Returns whose folder a path begins with, and what comes behind it.
fn named(path: &str) -> Option<(Identifier, &str)> {
    let (name, inner) = path.split_once('/')?;
    let identifier = Identifier::new(&decoded(name)?).ok()?;
    (encoded(&identifier) == name).then_some((identifier, inner))
}

/// Returns a name that every system can have, and that no system takes for another identifier's.
fn encoded(identifier: &Identifier) -> String {
    let raw = identifier.as_str();
    let usual = |c: char| {
        (c.is_alphanumeric() && folded(c.encode_utf8(&mut [0; 4])).chars().eq([c]))
            || "-_.@+ ".contains(c)
    };
    let name = escaped(raw, |_, c| usual(c));
    if Relative::new(&name).is_ok() {
        return name;
    }
    // Hidden, reserved, or with something at its ends that some systems drop.
    let last = raw.chars().count().saturating_sub(1);
    escaped(raw, |at, c| usual(c) && at != 0 && at != last)
}

fn escaped(raw: &str, usual: impl Fn(usize, char) -> bool) -> String {
    let mut name = String::with_capacity(raw.len());
    for (at, c) in raw.chars().enumerate() {
        if usual(at, c) {
            name.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            let _ = write!(name, "%{byte:02X}");
        }
    }
    name
}

fn decoded(name: &str) -> Option<String> {
    let mut pieces = name.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        let digits = piece.get(..2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(layer: Layer, names: &[(Layer, &str)]) -> Scope {
        let all = names.iter().fold(Identifiers::default(), |all, (layer, name)| {
            all.with(*layer, Identifier::new(name).unwrap())
        });
        Scope::new(layer, &all).unwrap()
    }

    fn workspace() -> Workspace {
        let world = scope(Layer::Project, &[(Layer::Project, "website")]);
        Workspace::new(world, Identifier::new("alice").unwrap())
    }

    #[test]
    fn every_scope_has_a_folder_of_its_own() {
        let check = |layer: Layer, names: &[(Layer, &str)], expected: &str| {
            let scope = scope(layer, names);
            assert_eq!(workspace().prefix(&scope), expected);
            let path = format!("{expected}daily/2026-03-01.md");
            let owner = workspace().owner(&path).unwrap();
            assert_eq!(owner, (scope, "daily/2026-03-01.md"));
            Relative::new(&path).unwrap();
        };
        let (user, agent, session) = (Layer::User, Layer::Agent, Layer::Session);
        check(Layer::Project, &[(Layer::Project, "website")], "");
        check(Layer::Project, &[(Layer::Project, "other")], "projects/other/");
        check(agent, &[(user, "alice"), (agent, "coder")], "agents/coder/");
        check(agent, &[(user, "bob"), (agent, "coder")], "users/bob/agents/coder/");
        check(user, &[(user, "alice")], "users/alice/");
        check(session, &[(user, "alice"), (session, "s/1")], "users/alice/sessions/s%2F1/");
        check(user, &[(user, "..")], "users/%2E%2E/");
        check(user, &[(user, "con")], "users/%63o%6E/");
        check(Layer::Team, &[(Layer::Team, "a%2fb")], "teams/a%252fb/");
        check(agent, &[(user, "alice"), (agent, "Coder")], "agents/%43oder/");
        check(user, &[(user, "zoë")], "users/zo%C3%AB/");
    }

    #[test]
    fn a_folder_that_another_program_made_for_an_agent_stays_its_own() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("agents/Coder")).unwrap();
        let mut workspace = workspace();
        workspace.look_into(folder.path());
        let coder = scope(Layer::Agent, &[(Layer::User, "alice"), (Layer::Agent, "Coder")]);
        assert_eq!(workspace.prefix(&coder), "agents/Coder/");
        assert_eq!(workspace.owner("agents/Coder/MEMORY.md"), Some((coder, "MEMORY.md")));
        assert_eq!(workspace.owner("agents/%43oder/MEMORY.md"), None);
    }

    #[test]
    fn what_stands_between_folders_is_nobodys() {
        let check = |path: &str| assert_eq!(workspace().owner(path), None, "{path}");
        check("agents/readme.md");
        check("users/alice.md");
        check("users/alice/agents/coder/MEMORY.md");
        check("projects/website/facts.md");
        check("users/%61lice/facts.md");
    }
}
