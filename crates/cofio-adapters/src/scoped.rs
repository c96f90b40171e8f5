//! Putting together what belongs to one scope.

use std::collections::HashMap;

use cofio::model::Scope;

/// Puts together what belongs to one scope, in its order.
pub fn group<T, U>(
    all: &[T],
    scope: impl Fn(&T) -> &Scope,
    make: impl Fn(&T) -> U,
) -> Vec<(Scope, Vec<U>)> {
    let mut places: HashMap<&Scope, usize> = HashMap::new();
    let mut groups: Vec<(Scope, Vec<U>)> = Vec::new();
    for one in all {
        let place = *places.entry(scope(one)).or_insert_with(|| {
            groups.push((scope(one).clone(), Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(make(one));
    }
    groups
}
