//! Splitting what is sent.

/// Splits what is to be sent, so that a request has neither too many nor too many bytes, unless one
/// alone has more.
pub fn of<T>(
    mut all: &[T],
    most: usize,
    most_bytes: usize,
    bytes: impl Fn(&T) -> usize,
) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let mut sum = 0;
        let fits = |one: &&T| {
            sum += bytes(one);
            sum <= most_bytes
        };
        let count = all.iter().take(most).take_while(fits).count().max(1).min(all.len());
        let (portion, rest) = all.split_at(count);
        all = rest;
        (count > 0).then_some(portion)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_have_neither_too_many_nor_too_much() {
        let check = |sizes: &[usize], expected: &[&[usize]]| {
            let portions: Vec<&[usize]> = of(sizes, 3, 10, |size| *size).collect();
            assert_eq!(portions, expected);
        };
        check(&[], &[]);
        check(&[1, 1, 1, 1], &[&[1, 1, 1], &[1]]);
        check(&[5, 5, 5], &[&[5, 5], &[5]]);
        check(&[99, 1, 99], &[&[99], &[1], &[99]]);
    }
}
