//! Which memories have the words of a question.
//!
//! In a large place the frequent words would lead to most of it. There the rare ones say which
//! memories are looked at, and of the frequent ones it is asked only which of those have them.

use cofio::Result;
use tokio_postgres::Row;

use super::rows::{bounded, count, get};
use super::session::Session;
use super::terms::query;

/// How many passages are read of one term at most.
const LONGEST_LIST: u64 = 200_000;

/// From how many passages on a place is large.
const LARGE: u64 = 20_000;

/// How many passages have a term in a large place that is not frequent.
const FEW: u64 = 2_000;

/// One term that may stand for a word of the question.
#[derive(Debug, Default)]
pub(super) struct Form {
    /// The word, by its place.
    pub(super) word: usize,
    /// What the index is asked.
    query: String,
    /// Memories that have it, each as often as it has passages with it.
    pub(super) memories: Vec<i64>,
    /// How many passages have it, about.
    pub(super) passages: u64,
    /// Whether those are all the memories that have it.
    pub(super) complete: bool,
}

impl Form {
    #[cfg(test)]
    pub(super) fn of(word: usize, memories: Vec<i64>) -> Self {
        let passages = memories.len() as u64;
        Self { word, memories, passages, complete: true, ..Self::default() }
    }
}

/// Returns every form of some words with memories that have it, in scopes with so many passages.
pub(super) async fn forms(
    session: &Session,
    scopes: &[i64],
    passages: u64,
    words: &[Vec<String>],
) -> Result<Vec<Form>> {
    let forms = words.iter().enumerate().flat_map(|(word, terms)| {
        let queries = terms.iter().filter_map(|term| query(scopes, term));
        queries.map(move |query| Form { word, query, ..Form::default() })
    });
    let mut forms: Vec<Form> = forms.collect();
    let queries: Vec<&str> = forms.iter().map(|form| form.query.as_str()).collect();
    if passages > LARGE {
        let all = first(session, scopes, &queries).await?;
        for (form, first) in forms.iter_mut().zip(all) {
            form.passages = first.about().min(passages);
            form.complete = first.is_all();
            form.memories = first.memories;
        }
        narrow(session, scopes, &mut forms).await?;
        return Ok(forms);
    }
    let lists = lists(session, scopes, &queries).await?;
    for (form, list) in forms.iter_mut().zip(lists) {
        form.passages = list.len() as u64;
        form.complete = form.passages < LONGEST_LIST;
        form.memories = list;
    }
    Ok(forms)
}

/// Lists, of those who have frequent forms, the memories that have rare ones too; where no form is
/// rare, the least frequent one counts as that.
async fn narrow(session: &Session, scopes: &[i64], forms: &mut [Form]) -> Result<()> {
    if !forms.iter().any(|form| form.complete && form.passages > 0) {
        let least = forms.iter_mut().filter(|form| !form.complete).min_by_key(|form| form.passages);
        let Some(least) = least else { return Ok(()) };
        let mut list = lists(session, scopes, &[&least.query]).await?;
        least.memories = list.pop().unwrap_or_default();
        least.passages = least.memories.len() as u64;
        least.complete = least.passages < LONGEST_LIST;
    }
    let is_rare = |form: &&Form| form.complete && form.passages > 0;
    let rare: Vec<&str> = forms.iter().filter(is_rare).map(|form| form.query.as_str()).collect();
    let rare = rare.join("|");
    let frequent = forms.iter().filter(|form| !form.complete);
    let queries: Vec<String> = frequent.map(|form| format!("({rare})&({})", form.query)).collect();
    if rare.is_empty() || queries.is_empty() {
        return Ok(());
    }
    let lists = lists(session, scopes, &queries).await?;
    for (form, list) in forms.iter_mut().filter(|form| !form.complete).zip(lists) {
        form.memories = list;
    }
    Ok(())
}

/// Returns how many passages of the scopes have each of some words, and how many memories.
pub(super) async fn frequencies(
    session: &Session,
    scopes: &[i64],
    passages: u64,
    queries: &[&str],
) -> Result<Vec<(u64, u64)>> {
    if passages > LARGE {
        let first = first(session, scopes, queries).await?;
        let about = |first: First| first.about().min(passages);
        return Ok(first.into_iter().map(about).map(|about| (about, about)).collect());
    }
    let mut frequencies = vec![(0, 0); queries.len()];
    let sql = "SELECT query, passages, memories FROM frequencies($1, $2)";
    for row in session.query(sql, &[&scopes, &queries]).await? {
        frequencies[place_of(&row)?] = (count(&row, 1)?, count(&row, 2)?);
    }
    Ok(frequencies)
}

/// Returns, for each query, memories that answer it, each as often as it has such passages.
async fn lists(
    session: &Session,
    scopes: &[i64],
    queries: &[impl AsRef<str>],
) -> Result<Vec<Vec<i64>>> {
    let mut lists = vec![Vec::new(); queries.len()];
    if queries.is_empty() {
        return Ok(lists);
    }
    let queries: Vec<&str> = queries.iter().map(AsRef::as_ref).collect();
    let sql = "SELECT query, memories FROM places($1, $2, $3)";
    for row in session.query(sql, &[&scopes, &queries, &bounded(LONGEST_LIST)]).await? {
        lists[place_of(&row)?] = get(&row, 1)?;
    }
    Ok(lists)
}

/// Returns the place of a query among those that were asked, which count from 1.
pub(super) fn place_of(row: &Row) -> Result<usize> {
    Ok(usize::try_from(get::<i64>(row, 0)?).unwrap_or(1).saturating_sub(1))
}

/// The first memories that have a term, as they stand in the table.
#[derive(Debug, Default)]
struct First {
    memories: Vec<i64>,
    /// About how many there are in all, if these are not all.
    about: u64,
}

impl First {
    fn is_all(&self) -> bool {
        (self.memories.len() as u64) < FEW
    }

    /// Returns about how many there are in all.
    fn about(&self) -> u64 {
        let seen = self.memories.len() as u64;
        if self.is_all() { seen } else { seen.max(self.about) }
    }
}

async fn first(session: &Session, scopes: &[i64], queries: &[&str]) -> Result<Vec<First>> {
    let mut first: Vec<First> = queries.iter().map(|_| First::default()).collect();
    if queries.is_empty() {
        return Ok(first);
    }
    let sql = "SELECT query, memories, about FROM first_places($1, $2, $3)";
    for row in session.query(sql, &[&scopes, &queries, &bounded(FEW)]).await? {
        first[place_of(&row)?] = First { memories: get(&row, 1)?, about: count(&row, 2)? };
    }
    Ok(first)
}
