//! Attacks on the library, each a test that is named after it.
//!
//! These are tried elsewhere already:
//!
//! | attack | where |
//! |---|---|
//! | every verb of one tenant against another, counts, totals, caches | `isolation` |
//! | pairs of layers and tenants in a store; taking an id; linking names across users | `store::conformance::isolation` |
//! | deduplication across users | `engine::the_same_thing_is_remembered_once_in_each_scope` |
//! | deriving from what is not one's own | `policy::what_is_derived_is_trusted_no_further_than_its_sources` |
//! | operators of full-text search | `engine::nothing_in_a_question_is_syntax` |
//! | trust that a text claims, or gains by deriving | `trust` |
//! | what jobs make of attacks that are told in conversations | `laundering`, in `cofio-bench` |
//! | names that look like others | `model::identifier`, unit tests |
//! | who may open the files | `sqlite_file::file_and_folder_are_their_owners_alone` |
//! | a hostile database as a backup | `sqlite_file::nothing_but_rows_is_taken_from_a_backup` |
//! | vectors of zeros, of NaN and of another size | `meaning` |
//! | bundles that were cut, changed or forged | `transfer` |
//! | bytes that deletion leaves, and restoring | `sqlite_file` |
//! | an edited, moved or shortened audit | `sqlite_file::tampering_with_the_audit_is_noticed` |
//!
//! There is no CSV, so there are no formulas in it; no name of a memory, user or agent becomes the
//! name of a file, so there is nothing to traverse with them.

mod files;
mod identity;
mod injection;
mod input;
mod privacy;
