//! The forms of English verbs.

use std::collections::HashMap;

/// Which form of a verb a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// live
    Base,
    /// lives
    Third,
    /// lived
    Past,
    /// lived, as in "have lived"
    Participle,
    /// living
    Ing,
}

/// The verbs of the frames and the forms they have.
#[derive(Debug, Default)]
pub(super) struct Verbs {
    irregular: HashMap<&'static str, Vec<(&'static str, &'static str)>>,
    forms: HashMap<String, Vec<(&'static str, Form)>>,
}

impl Verbs {
    /// Reads the table of verbs whose forms no rule makes.
    pub fn new(table: &'static str) -> Self {
        let mut verbs = Self::default();
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ');
            if let (Some(base), Some(past), Some(participle)) =
                (words.next(), words.next(), words.next())
            {
                verbs.irregular.entry(base).or_default().push((past, participle));
            }
        }
        verbs
    }

    /// Learns a verb.
    pub fn learn(&mut self, base: &'static str) {
        if self.forms.get(base).is_some_and(|known| known.contains(&(base, Form::Base))) {
            return;
        }
        self.add(base.to_owned(), base, Form::Base);
        self.add(third(base), base, Form::Third);
        for stem in stems(base) {
            self.add(format!("{stem}ing"), base, Form::Ing);
        }
        if let Some(irregular) = self.irregular.get(base).cloned() {
            for (past, participle) in irregular {
                self.add(past.to_owned(), base, Form::Past);
                self.add(participle.to_owned(), base, Form::Participle);
            }
            return;
        }
        for past in pasts(base) {
            self.add(past.clone(), base, Form::Past);
            self.add(past, base, Form::Participle);
        }
    }

    fn add(&mut self, word: String, base: &'static str, form: Form) {
        let known = self.forms.entry(word).or_default();
        if !known.contains(&(base, form)) {
            known.push((base, form));
        }
    }

    /// Returns the verb that a word is a form of, if it is that form.
    pub fn base(&self, word: &str, wanted: Form) -> Option<&'static str> {
        let known = self.forms.get(word)?;
        known.iter().find(|(_, form)| *form == wanted).map(|(base, _)| *base)
    }

    /// Returns the verb of a word that can be the finite verb of a sentence, and its form.
    pub fn finite(&self, word: &str) -> Option<(&'static str, Form)> {
        let known = self.forms.get(word)?;
        let is_finite = |form| matches!(form, Form::Base | Form::Third | Form::Past);
        // "quit" and "read" are the past more often than not.
        let past = known.iter().find(|(_, form)| *form == Form::Past);
        past.or_else(|| known.iter().find(|(_, form)| is_finite(*form))).copied()
    }
}

/// Returns the form of the third person: lives, goes, studies, has.
pub(super) fn third(base: &str) -> String {
    match base {
        "be" => return "is".to_owned(),
        "have" => return "has".to_owned(),
        "can" => return "can".to_owned(),
        _ => {}
    }
    if let Some(stem) = base.strip_suffix('y')
        && !stem.ends_with(['a', 'e', 'i', 'o', 'u'])
    {
        return format!("{stem}ies");
    }
    let hisses = ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| base.ends_with(end));
    format!("{base}{}", if hisses { "es" } else { "s" })
}

/// Returns what "ing" may follow: liv, run and runn.
fn stems(base: &str) -> Vec<String> {
    let mut stems = vec![base.to_owned()];
    if let Some(stem) = base.strip_suffix("ie") {
        stems.push(format!("{stem}y"));
    } else if let Some(stem) = base.strip_suffix('e') {
        stems.push(stem.to_owned());
    } else if let Some(last) = base.chars().last() {
        stems.push(format!("{base}{last}"));
    }
    stems
}

/// Returns the past of a regular verb, in all spellings: liked, studied, planned, travelled.
fn pasts(base: &str) -> Vec<String> {
    if base.ends_with('e') {
        return vec![format!("{base}d")];
    }
    if let Some(stem) = base.strip_suffix('y')
        && !stem.ends_with(['a', 'e', 'i', 'o', 'u'])
    {
        return vec![format!("{stem}ied")];
    }
    let doubled = base.chars().last().map(|last| format!("{base}{last}ed"));
    std::iter::once(format!("{base}ed")).chain(doubled).collect()
}
