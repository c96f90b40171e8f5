//! The suite that every shelf has to pass.
//!
//! Each case gets a fresh, empty shelf and panics where the shelf breaks its contract. Cases read
//! no clock and need no runtime of their own; what has ended did so long ago, and what has not ends
//! in centuries:
//!
//! ```
//! mod memory_shelf {
//!     use std::sync::Arc;
//!
//!     use cofio::model::Timestamp;
//!     use cofio::shelf::{MemoryShelf, Shelf, conformance};
//!
//!     fn fresh() -> (Arc<dyn Shelf>, ()) {
//!         (Arc::new(MemoryShelf::new(Timestamp::now)), ())
//!     }
//!
//!     conformance::suite!(fresh, pollster::block_on);
//! }
//! ```

mod contents;
mod fixtures;
mod labels;
mod many;
mod removal;
mod scopes;
mod subject;
mod vectors;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use self::subject::Subject;
use super::Shelf;

#[doc(inline)]
pub use crate::shelf_suite as suite;

/// One thing that a shelf has to do.
pub struct Case {
    /// What it has to do, as the name of a test.
    pub name: &'static str,
    run: fn(Subject) -> Running,
}

type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Case {
    /// Checks a fresh shelf, and panics where it breaks its contract.
    pub async fn run(&self, shelf: Arc<dyn Shelf>) {
        (self.run)(Subject(shelf)).await;
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Returns the case with this name.
pub fn case(name: &str) -> Case {
    let known = cases().into_iter().find(|case| case.name == name);
    known.unwrap_or_else(|| panic!("no case is called {name:?}"))
}

/// Returns all cases.
pub fn cases() -> Vec<Case> {
    crate::shelf_suite!(@list cases)
}

/// Makes one test of each case.
///
/// The first argument returns a fresh shelf as `Arc<dyn Shelf>`, with whatever must outlive it; the
/// second waits for a future.
#[doc(hidden)]
#[macro_export]
macro_rules! shelf_suite {
    (@list $make:ident $($argument:expr),*) => {
        $crate::shelf_suite! { @$make [$($argument),*]
            contents {
                texts_come_back_in_the_order_that_is_asked,
                what_is_not_there_is_nothing,
                editions_are_kept_apart,
                a_repeat_changes_nothing,
                every_text_comes_back_as_it_was,
                a_large_text_comes_back_whole,
                nothing_asked_is_nothing_done,
                it_says_how_it_is,
            }
            labels {
                what_has_ended_is_gone,
            }
            many {
                more_than_a_thousand_are_kept_in_one_call,
                pages_join_up_to_the_whole_list,
                a_place_stays_when_its_slot_is_gone,
                many_writers_lose_nothing,
                of_many_who_put_the_same_one_is_kept,
            }
            removal {
                what_is_removed_is_gone,
                what_is_gone_may_be_removed_again,
                removal_leaves_every_other_slot,
                removal_takes_the_vectors_too,
                what_was_removed_may_be_put_again,
            }
            scopes {
                scopes_are_apart,
                names_that_look_alike_are_different_scopes,
                lists_stay_in_their_scope,
                nothing_is_removed_from_another_scope,
                vectors_are_found_in_their_scope_alone,
                no_scope_is_not_every_scope,
            }
            vectors {
                without_vectors_nothing_is_pretended,
                the_nearest_come_first_with_their_cosines,
                the_best_passage_counts,
                what_is_not_within_takes_no_place,
                vectors_are_replaced_as_a_whole,
                editions_of_vectors_are_kept_apart,
                another_models_vectors_are_never_compared,
                other_dimensions_are_refused,
                cosines_stand_in_the_order_of_the_slots,
                a_sample_shows_what_is_usual,
                vectors_go_and_texts_stay,
                thousands_of_vectors_are_kept_in_one_call,
            }
        }
    };
    (@cases [] $($topic:ident { $($name:ident,)* })*) => {
        vec![$($(
            Case { name: stringify!($name), run: |shelf| Box::pin($topic::$name(shelf)) },
        )*)*]
    };
    (@tests [$fresh:expr, $block_on:expr] $($topic:ident { $($name:ident,)* })*) => {
        $($(
            #[test]
            fn $name() {
                let case = $crate::shelf::conformance::case(stringify!($name));
                let (shelf, _outlives) = ($fresh)();
                ($block_on)(case.run(shelf));
            }
        )*)*
    };
    ($fresh:expr, $block_on:expr $(,)?) => {
        $crate::shelf_suite! { @list tests $fresh, $block_on }
    };
}
