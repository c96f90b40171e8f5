use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use super::{Identifier, Identifiers, Layer};
use crate::error::{Error, ErrorKind, Result};

/// Exactly whose a memory is: a layer with the identifiers it requires, and no others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Scope {
    layer: Layer,
    identifiers: Identifiers,
}

impl Scope {
    /// Takes from `identifiers` what the layer requires.
    pub fn new(layer: Layer, identifiers: &Identifiers) -> Result<Self> {
        let mut own = Identifiers::default();
        for &name in layer.required() {
            let identifier = identifiers.get(name).ok_or_else(|| missing(layer, name))?;
            own = own.with(name, identifier.clone());
        }
        Ok(Self { layer, identifiers: own })
    }

    /// Returns the scope of one user.
    pub fn user(user: Identifier) -> Self {
        let identifiers = Identifiers::default().with(Layer::User, user);
        Self { layer: Layer::User, identifiers }
    }

    /// Returns the layer.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// Returns the identifiers that the layer requires.
    pub fn identifiers(&self) -> &Identifiers {
        &self.identifiers
    }
}

/// Writes `layer:name/name`, with `%`, `/` and `:` escaped, so that no two scopes share a text.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.layer)?;
        let names = self.layer.required().iter().filter_map(|&name| self.identifiers.get(name));
        for (position, name) in names.enumerate() {
            f.write_char(if position == 0 { ':' } else { '/' })?;
            for c in name.as_str().chars() {
                match c {
                    '%' => f.write_str("%25")?,
                    '/' => f.write_str("%2F")?,
                    ':' => f.write_str("%3A")?,
                    _ => f.write_char(c)?,
                }
            }
        }
        Ok(())
    }
}

/// Reads what is written so.
impl FromStr for Scope {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (layer, names) = text.split_once(':').unwrap_or((text, ""));
        let layer: Layer = layer.parse()?;
        let mut identifiers = Identifiers::default();
        for (&required, name) in layer.required().iter().zip(names.split('/')) {
            let name = name.replace("%3A", ":").replace("%2F", "/").replace("%25", "%");
            identifiers = identifiers.with(required, Identifier::new(&name)?);
        }
        Self::new(layer, &identifiers)
    }
}

fn missing(layer: Layer, name: Layer) -> Error {
    Error::new(
        ErrorKind::MissingIdentifier,
        format!("the {layer} layer needs the {name} identifier"),
    )
    .with("layer", layer.as_str())
    .with("missing", format!("{name}Id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identifiers(names: &[(Layer, &str)]) -> Identifiers {
        names.iter().fold(Identifiers::default(), |all, (layer, name)| {
            all.with(*layer, Identifier::new(name).unwrap())
        })
    }

    #[test]
    fn a_scope_needs_what_its_layer_requires() {
        let only_session = identifiers(&[(Layer::Session, "s1")]);
        let error = Scope::new(Layer::Session, &only_session).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingIdentifier);
        assert_eq!(error.details()["missing"], "userId");
    }

    #[test]
    fn a_scope_leaves_out_what_its_layer_does_not_require() {
        let all = identifiers(&[(Layer::User, "a"), (Layer::Project, "p"), (Layer::Session, "s")]);
        let scope = Scope::new(Layer::Project, &all).unwrap();
        assert_eq!(scope.to_string(), "project:p");
        assert_eq!(scope.identifiers().iter().count(), 1);
    }

    #[test]
    fn composed_names_do_not_collide() {
        let one = identifiers(&[(Layer::User, "a/b"), (Layer::Session, "c")]);
        let two = identifiers(&[(Layer::User, "a"), (Layer::Session, "b/c")]);
        let one = Scope::new(Layer::Session, &one).unwrap().to_string();
        let two = Scope::new(Layer::Session, &two).unwrap().to_string();
        assert_eq!((one.as_str(), two.as_str()), ("session:a%2Fb/c", "session:a/b%2Fc"));
    }

    #[test]
    fn what_is_written_is_read_as_the_same_scope() {
        for name in ["a", "a/b", "a:b", "100%", "%2F", "%252F:/"] {
            let names = identifiers(&[(Layer::User, name), (Layer::Session, "s/1")]);
            for layer in [Layer::User, Layer::Session] {
                let scope = Scope::new(layer, &names).unwrap();
                assert_eq!(scope.to_string().parse::<Scope>().unwrap(), scope);
            }
        }
        for wrong in ["", "user", "user:", "session:a", "nobody:a"] {
            assert!(wrong.parse::<Scope>().is_err(), "{wrong:?}");
        }
    }
}
