use super::names::names;

/// Whose a memory is: from the most specific layer to the least.
///
/// The order is the precedence: a smaller layer overrides a larger one.
/// A layer is also the name of the identifier that belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// One agent working for one user.
    Agent,
    /// One person.
    User,
    /// One conversation of one person.
    Session,
    /// One repository or project.
    Project,
    /// One team.
    Team,
    /// One organisation.
    Org,
    /// One company or tenant.
    Company,
}

names!(Layer, "layer", InvalidLayer, {
    Agent => "agent",
    User => "user",
    Session => "session",
    Project => "project",
    Team => "team",
    Org => "org",
    Company => "company",
});

impl Layer {
    /// Returns the identifiers a memory on this layer needs, the widest first.
    pub fn required(self) -> &'static [Layer] {
        match self {
            Self::Agent => &[Self::User, Self::Agent],
            Self::User => &[Self::User],
            Self::Session => &[Self::User, Self::Session],
            Self::Project => &[Self::Project],
            Self::Team => &[Self::Team],
            Self::Org => &[Self::Org],
            Self::Company => &[Self::Company],
        }
    }

    /// Returns the position in [`Layer::ALL`].
    pub(crate) fn index(self) -> usize {
        self as usize
    }
}
