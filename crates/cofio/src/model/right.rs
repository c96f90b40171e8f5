use std::fmt;

use super::names::names;

/// What somebody may do with what is open to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Right {
    /// Find and read memories.
    Read,
    /// Keep memories and change them.
    Write,
    /// Forget memories.
    Delete,
    /// Manage keys, see what everyone did, and check the record of it.
    Admin,
}

names!(Right, "right", Invalid, {
    Read => "read", Write => "write", Delete => "delete", Admin => "admin",
});

/// Some rights, none of which implies another.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Rights(u8);

impl Rights {
    /// None at all.
    pub const NONE: Self = Self(0);

    /// Every right.
    pub const ALL: Self = Self::of(Right::ALL);

    /// Puts rights together.
    pub const fn of(rights: &[Right]) -> Self {
        let mut all = 0;
        let mut place = 0;
        while place < rights.len() {
            all |= bit(rights[place]);
            place += 1;
        }
        Self(all)
    }

    /// Returns whether a right is among them.
    pub fn contains(self, right: Right) -> bool {
        self.0 & bit(right) != 0
    }

    /// Returns whether all of some others are among them.
    pub fn contains_all(self, others: Self) -> bool {
        self.shared(others) == others
    }

    /// Returns those that are among some others too.
    #[must_use]
    pub fn shared(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Returns the rights, in order.
    pub fn iter(self) -> impl Iterator<Item = Right> {
        Right::ALL.iter().copied().filter(move |right| self.contains(*right))
    }
}

const fn bit(right: Right) -> u8 {
    1 << right as u8
}

/// Writes their names, as in `read, write`.
impl fmt::Display for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Right::as_str).collect();
        f.pad(&names.join(", "))
    }
}

impl fmt::Debug for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_right_implies_another() {
        for &one in Right::ALL {
            for &other in Right::ALL {
                assert_eq!(Rights::of(&[one]).contains(other), one == other, "{one}, {other}");
            }
        }
    }

    #[test]
    fn rights_are_written_in_order() {
        let rights = Rights::of(&[Right::Delete, Right::Read, Right::Read]);
        assert_eq!(rights.to_string(), "read, delete");
        assert_eq!(Rights::ALL.iter().collect::<Vec<_>>(), Right::ALL);
        assert_eq!(Rights::NONE.to_string(), "");
    }
}
