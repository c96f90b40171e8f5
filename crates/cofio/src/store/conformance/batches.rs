//! Many at once are as good as one at a time.

use std::collections::BTreeSet;

use super::fixtures::{
    all_of, canary, canary_cues, forget, id, keeper, memory, next, now, update, user,
};
use super::subject::{Subject, together};
use crate::model::{Filter, Memory, MemoryId, Outcome, Scope};
use crate::store::{Order, Page};

const MANY: u64 = 5_000;

fn alice() -> Scope {
    user("alice")
}

fn crowd() -> Vec<Memory> {
    (1..=MANY).map(|number| memory(&alice(), number, &format!("member number {number}"))).collect()
}

pub(super) async fn thousands_are_kept_in_one_commit(store: Subject) {
    let crowd = crowd();
    store.keep(&crowd).await;
    let ids: Vec<MemoryId> = crowd.iter().rev().map(|memory| memory.id.clone()).collect();
    let read = store.get(&keeper(), &ids).await;
    assert!(read.iter().eq(crowd.iter().rev()), "all are returned in the order of the ids");
    let listed = store.list(&all_of(&alice())).await;
    assert_eq!(listed, ids, "the newest first");
    assert_eq!(store.changes(&keeper()).await.len() as u64, MANY);
    let audit = store.audit().await;
    assert_eq!(audit.len(), 1);
    let range = audit[0].record.changes.clone().expect("the entry vouches for the changes");
    assert_eq!(range.last - range.first + 1, MANY);
    let page = Page { limit: 100, order: Order::Newest, after: None, counted: true };
    let listing = store.page(&all_of(&alice()), &page).await;
    assert_eq!((listing.memories.len(), listing.total, listing.more), (100, MANY, true));
}

pub(super) async fn thousands_are_changed_and_forgotten_in_one_commit(store: Subject) {
    let crowd = crowd();
    store.keep(&crowd).await;
    let changed: Vec<Memory> = crowd.iter().map(|memory| next(memory, "changed")).collect();
    let outcomes = store.commit(changed.iter().map(update).collect()).await;
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Outcome::Updated(_))));
    let (gone, kept) = changed.split_at(changed.len() - 1);
    store.commit(gone.iter().map(forget).collect()).await;
    assert_eq!(store.list(&all_of(&alice())).await, [kept[0].id.clone()]);
    assert_eq!(store.tombstones(&keeper()).await.len() as u64, MANY - 1);
    assert_eq!(store.0.verify_audit().await.expect("the audit is whole"), 3);
}

pub(super) async fn ids_that_are_not_there_are_left_out_of_many(store: Subject) {
    let crowd = crowd();
    store.keep(&crowd[..10]).await;
    let ids: Vec<MemoryId> = crowd.iter().map(|memory| memory.id.clone()).collect();
    assert_eq!(store.get(&keeper(), &ids).await, crowd[..10]);
    assert_eq!(store.get(&keeper(), &[]).await, []);
}

pub(super) async fn many_scopes_are_asked_at_once(store: Subject) {
    let scopes: Vec<Scope> = (0..2_000).map(|number| user(&format!("user {number}"))).collect();
    let canaries: Vec<Memory> =
        (1..).zip(&scopes).map(|(number, scope)| canary(scope, number)).collect();
    store.keep(&canaries).await;
    let (asked, rest) = scopes.split_at(1_500);
    let filter = Filter::new(asked.to_vec(), now());
    assert_eq!(store.list(&filter).await.len(), asked.len());
    let found = store.candidates(&filter, &canary_cues()).await;
    assert_eq!((found.lexical.len(), found.entity.len()), (asked.len(), asked.len()));
    assert!(found.memories.iter().all(|memory| !rest.contains(&memory.scope)));
    assert_eq!(store.entities(asked, None).await[0].mention_count, asked.len() as u64);
    assert_eq!(store.scopes(&keeper()).await.len(), scopes.len());
}

pub(super) async fn many_writers_lose_nothing(store: Subject) {
    let commits = (1..=200).map(|number| {
        let memory = memory(&alice(), number, &format!("member number {number}"));
        let store = &store;
        async move { store.keep(&[memory]).await }
    });
    together(commits.collect()).await;
    let listed: BTreeSet<_> = store.list(&all_of(&alice())).await.into_iter().collect();
    assert_eq!(listed, (1..=200).map(id).collect());
    let changes = store.changes(&keeper()).await;
    assert_eq!(changes.len(), 200);
    assert!(changes.is_sorted_by(|one, two| one.sequence < two.sequence));
    assert_eq!(store.0.verify_audit().await.expect("the audit is whole"), 200);
}
