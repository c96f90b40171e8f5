//! The suite that every store has to pass.
//!
//! Each case gets a fresh, empty store and panics where the store breaks its contract. Cases read
//! no clock and need no runtime of their own:
//!
//! ```
//! mod memory_store {
//!     use std::sync::Arc;
//!
//!     use cofio::store::{MemoryStore, Store, conformance};
//!
//!     fn fresh() -> (Arc<dyn Store>, ()) {
//!         (Arc::new(MemoryStore::new()), ())
//!     }
//!
//!     conformance::suite!(fresh, pollster::block_on);
//! }
//! ```

mod atomicity;
mod batches;
mod candidates;
mod embedding;
mod entities;
mod evidence;
mod filters;
pub(crate) mod fixtures;
mod forgetting;
mod identity;
mod isolation;
mod jobs;
mod journal;
mod keeping;
mod keys;
mod moments;
pub mod moving;
mod paging;
mod probe;
pub(crate) mod subject;
mod versions;
pub(crate) mod writing_systems;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use self::subject::Subject;
use super::Store;

#[doc(inline)]
pub use crate::conformance_suite as suite;

/// One thing that a store has to do.
pub struct Case {
    /// What it has to do, as the name of a test.
    pub name: &'static str,
    run: fn(Subject) -> Running,
}

type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Case {
    /// Checks a fresh store, and panics where it breaks its contract.
    pub async fn run(&self, store: Arc<dyn Store>) {
        (self.run)(Subject(store)).await;
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
    crate::conformance_suite!(@list cases)
}

/// Makes one test of each case.
///
/// The first argument returns a fresh store as `Arc<dyn Store>`, with whatever must outlive it, such
/// as the folder it is in; the second waits for a future.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_suite {
    (@list $make:ident $($argument:expr),*) => {
        $crate::conformance_suite! { @$make [$($argument),*]
            atomicity {
                one_failing_change_undoes_the_others,
                a_failed_commit_leaves_identities_and_ids_alone,
                outcomes_stand_in_the_order_of_the_changes,
                a_commit_that_changes_nothing_records_nothing,
                an_event_without_changes_is_recorded,
                an_empty_commit_is_accepted,
                a_rehearsal_tells_and_changes_nothing,
            }
            batches {
                thousands_are_kept_in_one_commit,
                thousands_are_changed_and_forgotten_in_one_commit,
                ids_that_are_not_there_are_left_out_of_many,
                many_scopes_are_asked_at_once,
                many_writers_lose_nothing,
            }
            candidates {
                more_of_the_words_is_better,
                a_rare_word_tells_more_than_a_common_one,
                title_description_and_tags_are_searched,
                more_of_the_entities_is_better,
                an_alias_finds_all_that_name_the_entity,
                an_update_renews_words_and_names,
                what_is_not_meant_takes_no_place,
                both_lists_come_with_their_memories,
                no_cue_finds_nothing,
                repeated_cues_change_nothing,
                any_cue_is_taken_as_it_is,
            }
            embedding {
                the_nearest_are_found_with_their_cosines,
                the_best_passage_of_a_memory_counts,
                every_passage_counts_in_the_spread,
                vectors_of_another_model_are_not_compared,
                what_is_found_otherwise_is_compared_too,
                what_is_not_meant_takes_no_place_among_the_nearest,
                forgetting_removes_the_vectors,
                a_new_text_waits_for_new_vectors,
                assistants_and_others_are_spread_apart,
                without_a_meaning_nothing_is_compared,
                vectors_are_known_by_their_text_while_a_memory_has_it,
                a_memory_is_handed_out_once_until_its_time_is_over,
                what_is_given_back_is_handed_out_again,
                a_claim_that_others_have_taken_over_is_not_given_back,
                a_claim_lasts_longer_when_that_is_asked_for,
                what_cannot_be_embedded_is_put_aside_with_the_reason,
                what_was_put_aside_starts_anew_with_another_text_or_model,
                what_was_forgotten_is_not_handed_out,
                of_many_who_ask_at_once_each_is_handed_others,
                a_new_text_is_handed_out_as_it_is_now,
                another_model_begins_anew_and_the_first_answers_meanwhile,
                a_late_vector_of_the_earlier_model_changes_nothing,
                scopes_count_what_waits_for_the_adopted_model,
                an_edit_beside_the_text_keeps_vectors_that_came_meanwhile,
                what_becomes_an_assistants_waits_for_other_vectors,
                the_vectors_of_an_earlier_model_are_retired,
            }
            entities {
                an_entity_gathers_what_names_it,
                case_and_accents_make_no_other_entity,
                the_type_tells_entities_apart,
                those_that_most_memories_name_come_first,
                a_name_or_an_alias_finds_the_entity,
                what_has_ended_names_nothing,
                what_is_not_active_names_nothing,
                counts_follow_updates,
                an_entity_of_two_scopes_is_returned_once,
            }
            evidence {
                turns_stand_in_order_of_event_and_then_of_arrival,
                conversations_of_two_scopes_are_never_joined,
                a_scope_of_a_session_is_a_conversation,
                what_is_weighed_by_itself_comes_without_its_conversation,
                what_is_not_meant_is_not_among_the_turns,
                words_told_and_words_asked_are_counted_apart,
                words_are_counted_in_each_passage,
                counts_are_of_the_filters_scopes_alone,
                of_the_forms_of_a_word_the_most_frequent_counts,
                turns_say_how_many_of_the_names_they_have,
                places_lead_to_what_is_still_meant_in_their_order,
                a_survey_counts_memories_and_authors,
                a_survey_tells_how_frequent_words_are_written,
                what_changed_is_told_as_if_it_had_never_been_otherwise,
                a_turn_that_is_rewritten_stays_where_it_was,
                a_survey_counts_rare_words_too,
                a_long_conversation_leaves_room_for_every_other_word,
                times_point_to_what_happened_then,
                a_session_that_is_left_out_is_left_out_of_evidence_as_of_lists,
            }
            filters {
                by_kind,
                by_state,
                by_expiry,
                by_tags,
                by_source_type,
                by_knowledge_pointer,
                by_custom_fields,
                by_time,
                by_when_it_was_learnt,
                by_author,
                by_access_policy,
                by_trust,
                by_excluded_session,
                by_parts_of_a_statement,
                by_key,
                by_the_beginning_of_a_key,
                every_part_has_to_hold,
            }
            forgetting {
                what_was_concluded_from_others_is_known,
                what_is_rejected_is_known_until_it_is_permitted,
                a_rejection_is_undone_with_its_commit,
                what_has_ended_can_be_swept,
                forgetting_leaves_nothing,
                a_scope_without_memories_is_not_summarised,
                a_tombstone_says_what_whose_and_when,
                what_was_forgotten_is_never_created_again,
                forgetting_twice_forgets_once,
                what_comes_and_goes_in_one_commit_is_gone,
            }
            identity {
                an_exact_duplicate_returns_what_is_there,
                what_has_ended_gives_way,
                what_has_ended_can_still_be_updated,
                a_refused_creation_makes_no_room,
                without_an_identity_nothing_is_a_duplicate,
                duplicates_within_a_commit_are_noticed,
                forgetting_frees_the_identity,
                an_update_replaces_the_identity,
                an_update_may_keep_its_identity,
                an_update_cannot_become_another_memory,
                an_id_that_is_taken_is_not_overwritten,
                of_many_at_once_one_is_created,
                a_repeated_request_returns_the_first_outcomes,
                a_repeated_request_stays_answered_after_forgetting,
                a_request_that_changed_nothing_is_remembered_too,
                a_key_for_another_request_is_a_conflict,
                keys_belong_to_their_actor,
                a_failed_request_leaves_its_key_unused,
                a_request_sent_twice_at_once_is_made_once,
                what_came_of_a_request_can_be_asked_for,
                what_is_committed_soon_is_there_before_what_comes_after,
            }
            isolation {
                reading_by_id_opens_only_what_is_granted,
                a_person_does_not_open_another_persons_sessions,
                what_is_not_yours_is_not_there,
                lists_and_totals_stay_in_their_scope,
                words_and_names_find_only_in_their_scope,
                entities_stay_in_their_scope,
                an_alias_from_another_scope_links_nothing,
                histories_open_only_what_is_granted,
                summaries_open_only_what_is_granted,
                changes_open_only_what_is_granted,
                tombstones_open_only_what_is_granted,
                a_scope_is_known_before_and_after_it_holds_something,
                nothing_is_changed_from_another_scope,
                the_same_thing_is_kept_once_in_every_scope,
                an_id_of_another_scope_cannot_be_taken,
                no_scope_is_not_every_scope,
                several_scopes_are_read_together_and_told_apart,
            }
            jobs {
                a_job_is_as_the_last_commit_left_it,
                a_job_that_did_nothing_may_be_dismissed_and_no_other,
                jobs_are_listed_latest_first,
                changes_are_known_by_their_job,
                a_job_makes_every_change_or_none,
                turns_wait_by_conversation_and_facts_with_them_by_scope,
                what_came_through_a_stage_waits_no_more,
                what_came_through_a_stage_is_known_until_it_changes,
                what_is_spent_is_counted_by_day_job_and_scope,
                what_is_not_permitted_is_not_spent,
                one_at_a_time_holds_a_lease,
            }
            journal {
                changes_are_numbered_in_order,
                changes_are_read_on_from_a_place,
                the_last_change_is_known,
                whoever_waits_is_told_of_changes,
                every_event_is_entered_as_it_was_told,
                a_fraction_in_an_entry_stays_what_it_is,
                the_audit_is_a_chain,
                the_audit_is_read_by_actor_and_from_its_end,
                the_audit_vouches_for_the_changes,
                a_reading_is_entered_without_changes,
            }
            keeping {
                a_vector_makes_a_memory_ready,
                a_vector_of_another_model_replaces_the_first,
                a_vector_of_an_older_version_is_refused,
                an_update_says_whether_the_vector_still_holds,
                readings_are_counted,
                readings_count_on_from_what_a_memory_came_with,
                summaries_count_kinds_and_states,
                summaries_leave_out_what_has_expired,
            }
            keys {
                a_key_comes_back_as_it_was,
                keys_are_listed_oldest_first,
                a_key_is_revoked_once,
                a_key_is_replaced_once,
                of_many_who_replace_a_key_one_does,
                an_id_of_a_key_is_not_taken_twice,
                what_happens_to_keys_is_in_the_audit,
            }
            moments {
                what_was_learnt_later_was_not_known,
                what_was_changed_since_is_shown_as_it_was,
                the_state_of_then_counts,
                every_criterion_is_about_the_version_of_then,
                what_is_gone_by_now_is_not_shown_as_of_earlier,
                a_first_version_counts_since_it_was_learnt,
                pages_of_an_earlier_moment_join_up_in_its_order,
                what_was_true_is_told_by_when_it_began_and_ended,
                what_was_held_to_be_true_is_told_by_the_version_of_then,
            }
            paging {
                every_order_is_kept,
                pages_join_up_to_the_whole_list,
                pages_say_how_many_and_whether_more,
                writes_between_pages_move_nothing,
                a_place_stays_when_its_memory_is_gone,
                a_place_from_another_scope_shows_nothing_of_it,
                any_limit_is_honoured,
            }
            versions {
                an_update_replaces_the_memory,
                a_memory_brings_its_history_along,
                an_update_of_an_older_version_is_a_conflict,
                an_update_cannot_skip_a_version,
                an_older_version_is_not_forgotten,
                of_many_updates_at_once_one_wins,
                an_update_of_what_is_not_there_is_missing,
                changes_of_a_commit_follow_each_other,
                history_keeps_the_earlier_versions_oldest_first,
                earlier_versions_are_neither_listed_nor_found,
                an_update_keeps_the_count_of_readings,
            }
            writing_systems {
                every_field_comes_back_as_it_was,
                every_text_comes_back_as_it_was,
                every_script_is_found_by_its_own_words,
                names_that_look_alike_are_different_scopes,
                actors_and_details_of_any_script_are_audited,
                a_large_text_comes_back_whole,
            }
        }
    };
    (@cases [] $($topic:ident { $($name:ident,)* })*) => {
        vec![$($(
            Case { name: stringify!($name), run: |store| Box::pin($topic::$name(store)) },
        )*)*]
    };
    (@tests [$fresh:expr, $block_on:expr] $($topic:ident { $($name:ident,)* })*) => {
        $($(
            #[test]
            fn $name() {
                let case = $crate::store::conformance::case(stringify!($name));
                let (store, _outlives) = ($fresh)();
                ($block_on)(case.run(store));
            }
        )*)*
    };
    ($fresh:expr, $block_on:expr $(,)?) => {
        $crate::conformance_suite! { @list tests $fresh, $block_on }
    };
}
