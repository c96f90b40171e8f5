//! The terms of passages as PostgreSQL's full-text search knows them.
//!
//! PostgreSQL never analyses a text: it is given the terms of our analyser, each with the number of
//! its scope in front. A term has as many positions of weight A as it is told, and after those as
//! many of weight B as it is asked.

use std::error::Error;
use std::fmt::Write as _;

use bytes::{BufMut as _, BytesMut};
use cofio::store::kit::{Count, Passage};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// How often a term is counted at most in either way: PostgreSQL keeps 256 positions of one.
const MOST: u8 = 120;

/// The weights of positions, in their two highest bits.
const TOLD: u16 = 3 << 14;
const ASKED: u16 = 2 << 14;

/// Terms of a passage, with how often each stands in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Terms(Vec<(String, Count)>);

impl Terms {
    /// Returns the terms of a passage in a scope.
    pub(super) fn of(passage: &Passage, scope: i64) -> Self {
        let terms = passage.terms.iter().filter(|(term, _)| is_possible(term));
        Self(terms.map(|(term, count)| (lexeme(scope, term), *count)).collect())
    }
}

/// Returns the query for a term in any of some scopes, if a passage can have it.
pub(super) fn query(scopes: &[i64], term: &str) -> Option<String> {
    if !is_possible(term) {
        return None;
    }
    let mut query = String::new();
    for scope in scopes {
        let quoted = lexeme(*scope, term).replace('\\', "\\\\").replace('\'', "''");
        let separator = if query.is_empty() { "" } else { "|" };
        write!(query, "{separator}'{quoted}'").expect("a string takes any text");
    }
    (!query.is_empty()).then_some(query)
}

/// Returns a term as it stands in the index.
pub(super) fn lexeme(scope: i64, term: &str) -> String {
    format!("{scope}:{term}")
}

/// Tells whether the analyser makes such terms; a question may hold anything.
fn is_possible(term: &str) -> bool {
    !term.is_empty() && term.len() <= 1_024 && !term.contains('\0')
}

impl ToSql for Terms {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.put_i32(i32::try_from(self.0.len())?);
        for (term, count) in &self.0 {
            out.put_slice(term.as_bytes());
            out.put_u8(0);
            let (told, asked) = (u16::from(count.told.min(MOST)), u16::from(count.asked.min(MOST)));
            out.put_u16(told + asked);
            for position in 1..=told {
                out.put_u16(TOLD | position);
            }
            for position in told + 1..=told + asked {
                out.put_u16(ASKED | position);
            }
        }
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::TS_VECTOR
    }

    to_sql_checked!();
}

/// The terms of a passage as they were read, of which few are looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written<'a>(&'a [u8]);

impl<'a> Written<'a> {
    /// Passes on each term, with the number of its scope in front, and how often it stands there.
    pub(super) fn each(self, mut tell: impl FnMut(&'a [u8], Count)) -> Option<()> {
        let mut rest = self.0;
        let count = u32::from_be_bytes(take(&mut rest)?);
        for _ in 0..count {
            let end = rest.iter().position(|byte| *byte == 0)?;
            let term = &rest[..end];
            rest = &rest[end + 1..];
            let mut count = Count::default();
            for _ in 0..u16::from_be_bytes(take(&mut rest)?) {
                let position = u16::from_be_bytes(take(&mut rest)?);
                let one = if position & TOLD == TOLD { &mut count.told } else { &mut count.asked };
                *one = one.saturating_add(1);
            }
            tell(term, count);
        }
        Some(())
    }
}

impl<'a> FromSql<'a> for Written<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::TS_VECTOR
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, others) = rest.split_first_chunk()?;
    *rest = others;
    Some(*first)
}

/// A vector, as pgvector reads it.
#[derive(Debug)]
pub(super) struct Vector(pub(super) Vec<f32>);

impl ToSql for Vector {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.put_u16(u16::try_from(self.0.len())?);
        out.put_u16(0);
        for number in &self.0 {
            out.put_f32(*number);
        }
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        ty.name() == "vector"
    }

    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_come_back_with_their_counts() {
        let count = |told, asked| Count { told, asked };
        let all = [("1:a", count(2, 0)), ("1:it's", count(0, 3)), ("1:ü", count(1, 1))];
        let terms = Terms(all.map(|(term, count)| (term.to_owned(), count)).to_vec());
        let mut raw = BytesMut::new();
        terms.to_sql(&Type::TS_VECTOR, &mut raw).unwrap();
        let read = |raw: &[u8]| {
            let mut read = Vec::new();
            let text = |term: &[u8]| String::from_utf8(term.to_vec()).unwrap();
            Written(raw).each(|term, count| read.push((text(term), count))).map(|()| read)
        };
        assert_eq!(read(&raw), Some(terms.0));
        assert_eq!(read(&raw[..raw.len() - 1]), None, "it is cut short");
    }

    #[test]
    fn no_character_of_a_term_has_a_meaning() {
        assert_eq!(query(&[1, 2], "a|b").as_deref(), Some("'1:a|b'|'2:a|b'"));
        assert_eq!(query(&[7], "it's\\").as_deref(), Some("'7:it''s\\\\'"));
        assert_eq!((query(&[], "a"), query(&[1], "a\0"), query(&[1], "")), (None, None, None));
    }
}
