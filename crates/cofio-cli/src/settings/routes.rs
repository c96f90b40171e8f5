//! Which memories' texts stand where, as people write it down.

use std::fmt;
use std::str::FromStr;

use cofio::model::{Identifier, Kind, Layer, State};
use cofio::shelved::{Rule, Rules};

/// The word for where everything else of a memory is.
const HOME: &str = "home";

/// How a rule is written.
const FORM: &str = "give rules such as \"kind:working,context -> redis; state:archived -> qdrant; \
                    kind:fact layer:user -> home; * -> chroma\"";

/// Servers that texts may stand on besides the one that has everything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShelfName {
    Redis,
    Qdrant,
    Chroma,
    Mem0,
}

impl ShelfName {
    pub const ALL: [Self; 4] = [Self::Redis, Self::Qdrant, Self::Chroma, Self::Mem0];

    /// Returns its name in rules and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Redis => "redis",
            Self::Qdrant => "qdrant",
            Self::Chroma => "chroma",
            Self::Mem0 => "mem0",
        }
    }

    /// Returns its name as that of a shelf.
    pub fn identifier(self) -> Identifier {
        Identifier::new(self.as_str()).expect("it is a plain word")
    }
}

/// Rules in the order in which they count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes(Vec<Route>);

/// What some memories have in common, and where their texts stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Route {
    kinds: Vec<Kind>,
    layers: Vec<Layer>,
    states: Vec<State>,
    /// The server; without one, the text stands where everything else of its memory is.
    to: Option<ShelfName>,
}

impl Routes {
    /// Returns the rules as a store follows them.
    pub fn rules(&self) -> Rules {
        let rule = |route: &Route| {
            let Route { kinds, layers, states, to } = route.clone();
            Rule { kinds, layers, states, shelf: to.map(ShelfName::identifier) }
        };
        Rules(self.0.iter().map(rule).collect())
    }

    /// Returns the servers that are named, each once.
    pub fn shelves(&self) -> Vec<ShelfName> {
        let named = |shelf: &ShelfName| self.0.iter().any(|route| route.to == Some(*shelf));
        ShelfName::ALL.into_iter().filter(named).collect()
    }
}

impl FromStr for Routes {
    type Err = String;

    fn from_str(raw: &str) -> Result<Self, String> {
        let lines = raw.split([';', '\n']).map(str::trim).filter(|line| !line.is_empty());
        let routes = lines.map(route).collect::<Result<Vec<_>, _>>()?;
        if routes.is_empty() { Err(FORM.to_owned()) } else { Ok(Self(routes)) }
    }
}

fn route(line: &str) -> Result<Route, String> {
    let (which, to) = line.split_once("->").ok_or(FORM)?;
    let mut route = Route { to: target(to.trim())?, ..Route::default() };
    if which.trim() == "*" {
        return Ok(route);
    }
    for condition in which.split_whitespace() {
        let (axis, names) = condition.split_once(':').ok_or(FORM)?;
        match axis {
            "kind" => route.kinds.extend(all::<Kind>(names)?),
            "layer" => route.layers.extend(all::<Layer>(names)?),
            "state" => route.states.extend(all::<State>(names)?),
            _ => return Err(format!("{axis:?} is none of kind, layer and state: {FORM}")),
        }
    }
    let means_nothing = route == Route { to: route.to, ..Route::default() };
    if means_nothing { Err(FORM.to_owned()) } else { Ok(route) }
}

fn target(name: &str) -> Result<Option<ShelfName>, String> {
    if name == HOME {
        return Ok(None);
    }
    let known = ShelfName::ALL.into_iter().find(|shelf| shelf.as_str() == name);
    let advice = || format!("{name:?} is none of home, redis, qdrant, chroma and mem0");
    known.map(Some).ok_or_else(advice)
}

fn all<T: FromStr<Err = cofio::Error>>(names: &str) -> Result<Vec<T>, String> {
    names.split(',').map(|name| name.parse().map_err(|error: T::Err| error.to_string())).collect()
}

impl fmt::Display for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, route) in self.0.iter().enumerate() {
            let separator = if number == 0 { "" } else { "; " };
            write!(f, "{separator}{route}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            condition("kind", &self.kinds),
            condition("layer", &self.layers),
            condition("state", &self.states),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let which = if parts.is_empty() { "*".to_owned() } else { parts.join(" ") };
        write!(f, "{which} -> {}", self.to.map_or(HOME, ShelfName::as_str))
    }
}

fn condition<T: ToString>(axis: &str, values: &[T]) -> Option<String> {
    let names: Vec<String> = values.iter().map(ToString::to_string).collect();
    (!names.is_empty()).then(|| format!("{axis}:{}", names.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, expected: &str) {
        let shown = raw.parse::<Routes>().map_or_else(|error| error, |routes| routes.to_string());
        assert!(shown.starts_with(expected), "{raw:?} gives {shown:?}");
    }

    #[test]
    fn what_is_written_is_what_is_shown() {
        let all = "kind:working,context -> redis; kind:fact layer:user -> home; * -> mem0";
        check(all, all);
        check(
            "\n  state:archived->qdrant\n\n* -> chroma;",
            "state:archived -> qdrant; * -> chroma",
        );
        check("kind:semantic -> qdrant", "kind:fact -> qdrant");
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for nothing in ["", " ; ", "fact -> qdrant", "kind:fact", "-> redis", "kind: -> redis"] {
            assert!(nothing.parse::<Routes>().is_err(), "{nothing:?}");
        }
        check("kind:fact -> disk", "\"disk\" is none of home, redis, qdrant, chroma and mem0");
        check("colour:red -> redis", "\"colour\" is none of kind, layer and state");
        check("kind:facts -> redis", "unknown kind");
    }

    #[test]
    fn every_server_is_named_once() {
        let routes: Routes =
            "kind:fact -> qdrant; kind:working -> redis; * -> qdrant".parse().unwrap();
        assert_eq!(routes.shelves(), [ShelfName::Redis, ShelfName::Qdrant]);
        assert_eq!(routes.rules().shelves().count(), 3);
    }
}
