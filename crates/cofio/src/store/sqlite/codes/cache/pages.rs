//! Pages in the order of their numbers, many of which two revisions share.

use std::sync::Arc;

use super::page::Page;

/// How many pages are shared together; of those that change with them, each is counted anew.
const SHARE: usize = 128;

/// Pages in the order of their numbers; copying them costs little.
#[derive(Clone, Default)]
pub(in super::super) struct Pages {
    /// None is empty.
    shares: Vec<Arc<Vec<Page>>>,
    len: usize,
}

impl Pages {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(in super::super) fn iter(&self) -> impl Iterator<Item = &Page> {
        self.shares.iter().flat_map(|share| share.iter())
    }

    pub(super) fn find(&self, number: i64) -> Option<&Page> {
        let share = self.shares.get(self.share_of(number))?;
        let index = share.binary_search_by_key(&number, |page| page.codes.number).ok()?;
        Some(&share[index])
    }

    /// Puts a page into its place, or in the place of the one with its number.
    pub(super) fn put(&mut self, page: Page) {
        let number = page.codes.number;
        let index = self.share_of(number);
        if self.shares.is_empty() {
            self.shares.push(Arc::default());
        }
        let share = Arc::make_mut(&mut self.shares[index]);
        match share.binary_search_by_key(&number, |page| page.codes.number) {
            Ok(place) => share[place] = page,
            Err(place) => {
                share.insert(place, page);
                self.len += 1;
            }
        }
        if share.len() > 2 * SHARE {
            let rest = share.split_off(SHARE);
            self.shares.insert(index + 1, Arc::new(rest));
        }
    }

    /// Returns the share that a page with this number is or would be in.
    fn share_of(&self, number: i64) -> usize {
        let begun = |share: &Arc<Vec<Page>>| share[0].codes.number <= number;
        self.shares.partition_point(begun).saturating_sub(1)
    }
}
