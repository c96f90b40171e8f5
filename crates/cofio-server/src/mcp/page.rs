//! Lists that clients read page by page.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// How much of a list is on one page.
pub(super) const PAGE: usize = 50;

/// Returns one page of a list, and where the next one begins.
pub(super) fn page<T: Clone>(
    all: &[T],
    request: Option<&PaginatedRequestParams>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let cursor = request.and_then(|request| request.cursor.as_deref());
    let start = match cursor {
        None => 0,
        Some(cursor) => place(cursor).filter(|start| *start < all.len()).ok_or_else(unknown)?,
    };
    let end = all.len().min(start + PAGE);
    let next = (end < all.len()).then(|| format!("from-{end}"));
    Ok((all[start..end].to_vec(), next))
}

/// Returns the error for a cursor that was never handed out.
pub(super) fn unknown() -> ErrorData {
    ErrorData::invalid_params("this cursor was not handed out here: start without one", None)
}

fn place(cursor: &str) -> Option<usize> {
    cursor.strip_prefix("from-")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_on_one_page() {
        let all: Vec<usize> = (0..120).collect();
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let request = PaginatedRequestParams::default().with_cursor(cursor);
            let (items, next) = page(&all, Some(&request)).unwrap();
            seen.extend(items);
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, all);
    }

    #[test]
    fn a_cursor_that_was_never_handed_out_is_refused() {
        for cursor in ["", "from-", "from-3x", "from-99999999999999999999", "from-3", "0"] {
            let request = PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned()));
            assert!(page(&[1, 2, 3], Some(&request)).is_err(), "{cursor:?}");
        }
        assert!(page::<u8>(&[], None).unwrap().1.is_none());
    }
}
