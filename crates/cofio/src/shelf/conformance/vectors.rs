//! Vectors find what is near, among what is meant and nothing else.

use std::slice::from_ref;

use super::fixtures::{
    alice, bob, edition, ending, in_centuries, labels, long_ago, model, near, near_as, other_model,
    question, slot, towards,
};
use super::subject::Subject;
use crate::error::ErrorKind;
use crate::model::{Kind, Meaning, State};
use crate::shelf::{Embedded, Labels, Slot, Within};

/// Of what is near but not meant, so many that none of them may come first.
const DECOYS: u64 = 300;

fn of_alice(kinds: &[Kind], states: &[State]) -> Within {
    Within { kinds: kinds.to_vec(), states: states.to_vec(), ..Within::scopes(vec![alice()]) }
}

pub(super) async fn without_vectors_nothing_is_pretended(shelf: Subject) {
    if shelf.has_vectors() {
        return;
    }
    let (own, within) = ([slot(&alice(), 1)], Within::scopes(vec![alice()]));
    let refused = [
        shelf.0.put_vectors(&model(), &[near(&own[0], &[0.9])]).await.err(),
        shelf.0.vectors(&model(), &own).await.err(),
        shelf.0.remove_vectors(&model(), &own).await.err(),
        shelf.0.nearest(&question(), &within, 9).await.err(),
        shelf.0.cosines(&question(), &own).await.err(),
        shelf.0.sample(&question(), &[alice()], 9).await.err(),
    ];
    for error in refused {
        assert_eq!(error.expect("it cannot do it").kind(), ErrorKind::Unsupported);
    }
}

pub(super) async fn the_nearest_come_first_with_their_cosines(shelf: Subject) {
    if !shelf.has_vectors() {
        return;
    }
    let numbers: [u8; 41] = std::array::from_fn(|place| u8::try_from(place * 7 % 41).unwrap_or(0));
    let embedded: Vec<Embedded> = numbers
        .iter()
        .map(|number| near(&slot(&alice(), (*number).into()), &[f32::from(*number) * 0.02]))
        .collect();
    shelf.put_vectors(&embedded).await;
    let expected = |numbers: std::ops::Range<u64>| -> Vec<(Slot, i64)> {
        let slot = |number: u64| (slot(&alice(), number), i64::try_from(number * 2).unwrap_or(0));
        numbers.rev().map(slot).collect()
    };
    assert_eq!(shelf.nearest_of(&alice(), 5).await, expected(36..41));
    assert_eq!(shelf.nearest_of(&alice(), 100).await, expected(0..41));
    shelf.put_vectors(&[near(&slot(&alice(), 99), &[-0.5])]).await;
    assert_eq!(shelf.nearest_of(&alice(), 100).await[41], (slot(&alice(), 99), -50));
}

pub(super) async fn the_best_passage_counts(shelf: Subject) {
    if !shelf.has_vectors() {
        return;
    }
    let many: Vec<f32> = (0..=60_u8).map(|place| 0.6 + f32::from(place) * 0.005).collect();
    let [long, short, far] = [1, 2, 3].map(|number| slot(&alice(), number));
    let embedded = [near(&long, &many), near(&short, &[0.1, 0.58]), near(&far, &[-0.2, 0.3])];
    shelf.put_vectors(&embedded).await;
    let expected = [(long.clone(), 90), (short.clone(), 58), (far.clone(), 30)];
    assert_eq!(shelf.nearest_of(&alice(), 3).await, expected);
    assert_eq!(shelf.nearest_of(&alice(), 2).await, expected[..2]);
    assert_eq!(shelf.cosines(&[far, long, short]).await, [Some(30), Some(90), Some(58)]);
}

pub(super) async fn what_is_not_within_takes_no_place(shelf: Subject) {
    if !shelf.has_vectors() {
        return;
    }
    let archived = || Labels { state: State::Archived, ..labels() };
    let episode = || Labels { kind: Kind::Episode, ..labels() };
    let bobs = (1_000..1_000 + DECOYS).map(|number| near(&slot(&bob(), number), &[0.99]));
    let old =
        (2_000..2_000 + DECOYS).map(|number| near_as(&slot(&alice(), number), &[0.98], archived()));
    let said =
        (3_000..3_000 + DECOYS).map(|number| near_as(&slot(&alice(), number), &[0.97], episode()));
    let own = [near(&slot(&alice(), 1), &[0.2]), near(&slot(&alice(), 2), &[0.1])];
    shelf.put_vectors(&bobs.chain(old).chain(said).chain(own).collect::<Vec<_>>()).await;

    let expected = [(slot(&alice(), 1), 20), (slot(&alice(), 2), 10)];
    let facts = of_alice(&[Kind::Fact, Kind::Procedure], &[State::Active]);
    assert_eq!(shelf.nearest(&facts, 2).await, expected);
    assert_eq!(shelf.nearest(&facts, 50).await, expected);
    let archive = shelf.nearest(&of_alice(&[], &[State::Archived, State::Decayed]), 9).await;
    assert_eq!(archive.iter().map(|(_, cosine)| *cosine).collect::<Vec<_>>(), [98; 9]);
    let anything = shelf.nearest(&of_alice(&[], &[]), 9).await;
    assert!(anything.iter().all(|(slot, cosine)| slot.scope == alice() && *cosine == 98));
    assert_eq!(shelf.nearest(&of_alice(&[Kind::Reflection], &[]), 9).await, []);

    if shelf.0.abilities().expiry {
        let ended = near_as(&slot(&alice(), 3), &[0.9], ending(long_ago()));
        let lasting = near_as(&slot(&alice(), 4), &[0.15], ending(in_centuries()));
        shelf.put_vectors(&[ended, lasting]).await;
        let found = shelf.nearest(&facts, 2).await;
        assert_eq!(found, [(slot(&alice(), 1), 20), (slot(&alice(), 4), 15)]);
    }
}

pub(super) async fn vectors_are_replaced_as_a_whole(shelf: Subject) {
    if !shelf.has_vectors() {
        return;
    }
    let [own, other] = [1, 2].map(|number| slot(&alice(), number));
    shelf.put_vectors(&[near(&own, &[0.3, 0.9, 0.8]), near(&other, &[0.6, 0.7])]).await;
    shelf.put_vectors(&[near(&own, &[0.3, 0.9, 0.8])]).await;
    let all = [(30, false), (60, false), (70, false), (80, false), (90, false)];
    assert_eq!(shelf.sample(&[alice()], 99).await, all);
    shelf.put_vectors(&[near(&own, &[0.2])]).await;
    assert_eq!(shelf.nearest_of(&alice(), 9).await, [(other.clone(), 70), (own.clone(), 20)]);
    assert_eq!(shelf.sample(&[alice()], 99).await, [(20, false), (60, false), (70, false)]);
    shelf.put_vectors(&[near(&own, &[])]).await;
    assert_eq!(shelf.nearest_of(&alice(), 9).await, [(other, 70)]);
    assert_eq!(shelf.cosines(&[own]).await, [None]);
}

pub(super) async fn editions_of_vectors_are_kept_apart(shelf: Subject) {
    if !shelf.has_vectors() {
        return;
    }
    let [first, second] = [1, 2].map(|number| edition(&alice(), 1, number));
    shelf.put_vectors(&[near(&first, &[0.9]), near(&second, &[0.5])]).await;
    assert_eq!(shelf.nearest_of(&alice(), 9).await, [(first.clone(), 90), (second.clone(), 50)]);
    shelf.remove(from_ref(&first)).await;
    assert_eq!(shelf.cosines(&[first, second.clone()]).await, [None, Some(50)]);
    assert_eq!(shelf.nearest_of(&alice(), 9).await, [(second, 50)]);
}

pub(super) async fn another_models_vectors_are_never_compared(shelf: Subject) {
    if !shelf.has_vectors() {
        return;
    }
    let [own, other] = [1, 2].map(|number| slot(&alice(), number));
    let flat = Embedded { vectors: vec![vec![1.0, 0.0, 0.0]], ..near(&other, &[]) };
    shelf.put_vectors(&[near(&own, &[0.9])]).await;
    shelf.0.put_vectors(&other_model(), &[flat]).await.expect("vectors are put");
    assert_eq!(shelf.nearest_of(&alice(), 9).await, [(own.clone(), 90)]);
    assert_eq!(shelf.cosines(&[own.clone(), other.clone()]).await, [Some(90), None]);
    assert_eq!(shelf.sample(&[alice()], 9).await, [(90, false)]);
    let asked = Meaning { fingerprint: other_model(), vector: vec![1.0, 0.0, 0.0] };
    let within = Within::scopes(vec![alice()]);
    let found = shelf.0.nearest(&asked, &within, 9).await.expect("the nearest are found");
    assert_eq!(found.iter().map(|(slot, _)| slot).collect::<Vec<_>>(), [&other]);
    let unknown = crate::model::Fingerprint::new("model-3").expect("a valid fingerprint");
    let asked = Meaning { fingerprint: unknown, ..question() };
    assert_eq!(shelf.0.nearest(&asked, &within, 9).await.expect("nothing is found"), []);
    assert_eq!(shelf.0.cosines(&asked, &[own]).await.expect("nothing is compared"), [None]);
    assert_eq!(shelf.0.sample(&asked, &[alice()], 9).await.expect("nothing is there"), []);
}

pub(super) async fn other_dimensions_are_refused(shelf: Subject) {
    if !shelf.has_vectors() {
        return;
    }
    let own = slot(&alice(), 1);
    shelf.put_vectors(&[near(&own, &[0.9])]).await;
    let short = Embedded { vectors: vec![vec![1.0, 0.0]], ..near(&slot(&alice(), 2), &[]) };
    let asked = Meaning { vector: vec![1.0, 0.0], ..question() };
    let within = Within::scopes(vec![alice()]);
    let refused = [
        shelf.0.put_vectors(&model(), &[short]).await.err(),
        shelf.0.nearest(&asked, &within, 9).await.err(),
        shelf.0.cosines(&asked, from_ref(&own)).await.err(),
        shelf.0.sample(&asked, &[alice()], 9).await.err(),
    ];
    for error in refused {
        let error = error.expect("vectors of other dimensions are refused");
        assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
        let told = error.to_string();
        assert!(told.contains("2 dimensions") && told.contains("64"), "{told}");
    }
    assert_eq!(shelf.nearest_of(&alice(), 9).await, [(own, 90)]);
}

pub(super) async fn cosines_stand_in_the_order_of_the_slots(shelf: Subject) {
    if !shelf.has_vectors() {
        return;
    }
    let slots: Vec<Slot> = (1..=4).map(|number| slot(&alice(), number)).collect();
    let cosines = [0.1, 0.9, -0.3];
    let embedded: Vec<Embedded> =
        slots.iter().zip(cosines).map(|(slot, cosine)| near(slot, &[cosine])).collect();
    shelf.put_vectors(&embedded).await;
    shelf.put_vectors(&[near(&slot(&bob(), 1), &[0.5])]).await;
    let asked = [2, 0, 3, 1, 0].map(|place: usize| slots[place].clone());
    let expected = [Some(-30), Some(10), None, Some(90), Some(10)];
    assert_eq!(shelf.cosines(&asked).await, expected);
    let both = [slot(&bob(), 1), slot(&alice(), 1), slot(&bob(), 2)];
    assert_eq!(shelf.cosines(&both).await, [Some(50), Some(10), None]);
    let backwards = Meaning { vector: towards(-1.0), ..question() };
    let found = shelf.0.cosines(&backwards, &slots[1..2]).await.expect("slots are compared");
    assert!((found[0].expect("it has a vector") + 0.9).abs() < 5e-3, "{found:?}");
}

pub(super) async fn a_sample_shows_what_is_usual(shelf: Subject) {
    if !shelf.has_vectors() {
        return;
    }
    let assistant = || Labels { assistant: true, ..labels() };
    shelf
        .put_vectors(&[
            near(&slot(&alice(), 1), &[0.1, 0.2]),
            near_as(&slot(&alice(), 2), &[0.8], assistant()),
            near(&slot(&bob(), 3), &[0.9]),
        ])
        .await;
    let alices = [(10, false), (20, false), (80, true)];
    assert_eq!(shelf.sample(&[alice()], 99).await, alices);
    let all = [(10, false), (20, false), (80, true), (90, false)];
    assert_eq!(shelf.sample(&[alice(), bob()], 99).await, all);
    let some = shelf.sample(&[alice()], 2).await;
    assert_eq!(some.len(), 2);
    assert!(some.iter().all(|sampled| alices.contains(sampled)));
    assert_eq!(shelf.sample(&[alice()], 0).await, []);
}

pub(super) async fn vectors_go_and_texts_stay(shelf: Subject) {
    if !shelf.has_vectors() {
        return;
    }
    let [told, mute] = [1, 2].map(|number| slot(&alice(), number));
    shelf.put_each(from_ref(&told)).await;
    let embedded = [near(&told, &[0.9]), near(&mute, &[0.5])];
    shelf.put_vectors(&embedded).await;
    shelf.0.put_vectors(&other_model(), &embedded).await.expect("vectors are put");
    assert_eq!(shelf.slots(&alice()).await, [told.clone(), mute.clone()], "vectors count too");
    let both = [told.clone(), mute.clone()];
    shelf.0.remove_vectors(&model(), &both).await.expect("vectors are removed");
    shelf.0.remove_vectors(&model(), &both).await.expect("and may be removed again");
    assert_eq!(shelf.nearest_of(&alice(), 9).await, []);
    shelf.has_each(from_ref(&told)).await;
    let asked = Meaning { fingerprint: other_model(), ..question() };
    let others = shelf.0.cosines(&asked, &both).await.expect("slots are compared");
    assert!(others.iter().all(Option::is_some), "those of another model stay");
    shelf.0.remove_vectors(&other_model(), &both).await.expect("vectors are removed");
    assert_eq!(shelf.slots(&alice()).await, [told]);
}

pub(super) async fn thousands_of_vectors_are_kept_in_one_call(shelf: Subject) {
    if !shelf.has_vectors() {
        return;
    }
    let slots: Vec<Slot> = (1..=3_000).map(|number| slot(&alice(), number)).collect();
    let embedded: Vec<Embedded> = (1_u16..)
        .zip(&slots)
        .map(|(number, slot)| near(slot, &[f32::from(number) * 3e-4, f32::from(number) * -3e-4]))
        .collect();
    shelf.put_vectors(&embedded).await;
    let cosines = shelf.cosines(&slots).await;
    assert_eq!(cosines.len(), slots.len());
    assert!(cosines.iter().all(Option::is_some));
    assert_eq!((cosines[999], cosines[2_999]), (Some(30), Some(90)));
    let nearest = shelf.nearest_of(&alice(), 20).await;
    assert_eq!(nearest.len(), 20);
    assert!(nearest.iter().all(|(_, cosine)| *cosine >= 89), "{nearest:?}");
    shelf.remove(&slots[1..]).await;
    assert_eq!(shelf.nearest_of(&alice(), 20).await, [(slots[0].clone(), 0)]);
}
