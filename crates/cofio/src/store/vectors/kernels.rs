//! The two inner loops of a search, each as fast as the machine at hand allows.

#[cfg(target_arch = "x86_64")]
mod x86;

use super::half::Half;

/// How many codes stand side by side, so that one instruction works on all of them.
pub(crate) const LANES: usize = 8;

/// How many bits a number of a question has.
pub(super) const PLANES: usize = 4;

/// One word of each code that stands side by side.
pub(crate) type Words = [u64; LANES];

/// How to compute; the fastest way is found out once.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kernels {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
}

impl Kernels {
    /// Returns the fastest that this machine can run.
    pub(super) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let avx512 = x86::Avx512::detect().map(Self::Avx512);
            if let Some(found) = avx512.or_else(|| x86::Avx2::detect().map(Self::Avx2)) {
                return found;
            }
        }
        Self::Portable
    }

    /// Adds up, for each code, the numbers of a question where the code has a one.
    ///
    /// `codes` holds groups of [`LANES`] codes: their first words, their second words, and so on.
    /// `planes` holds the lowest bits of the question's first 64 numbers, the next higher ones and
    /// so on, as two's complement; then those of its next 64 numbers, to the end of a code.
    pub(super) fn sums(self, codes: &[Words], planes: &[[u64; PLANES]], sums: &mut [[i32; LANES]]) {
        match self {
            Self::Portable => portable_sums(codes, planes, sums),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.sums(codes, planes, sums),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.sums(codes, planes, sums),
        }
    }

    /// Returns the scalar product of two vectors of the same length.
    pub(super) fn dot(self, vector: &[Half], question: &[f32]) -> f32 {
        match self {
            Self::Portable => portable_dot(vector, question),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.dot(vector, question),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.dot(vector, question),
        }
    }
}

/// Asks for the beginning of what is needed soon, so that it need not be waited for then.
pub(crate) fn prefetch<T>(items: &[T]) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(items);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = items;
}

fn portable_sums(codes: &[Words], planes: &[[u64; PLANES]], sums: &mut [[i32; LANES]]) {
    for (group, sums) in codes.chunks_exact(planes.len()).zip(sums) {
        *sums = [0; LANES];
        for (words, [ones, twos, fours, eights]) in group.iter().zip(planes) {
            for (word, sum) in words.iter().zip(&mut *sums) {
                let count = |plane: &u64| (word & plane).count_ones().cast_signed();
                *sum += count(ones) + 2 * count(twos) + 4 * count(fours) - 8 * count(eights);
            }
        }
    }
}

fn portable_dot(vector: &[Half], question: &[f32]) -> f32 {
    // Sums of their own for neighbours let the compiler work on several at once.
    let mut sums = [0.0_f32; 16];
    let (vectors, vector_rest) = vector.as_chunks::<16>();
    let (questions, question_rest) = question.as_chunks::<16>();
    for (vector, question) in vectors.iter().zip(questions) {
        for ((sum, half), number) in sums.iter_mut().zip(vector).zip(question) {
            *sum += half.value() * number;
        }
    }
    let rest = vector_rest.iter().zip(question_rest).map(|(half, number)| half.value() * number);
    sums.iter().copied().chain(rest).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn available() -> Vec<Kernels> {
        let mut all = vec![Kernels::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(x86::Avx2::detect().map(Kernels::Avx2));
            all.extend(x86::Avx512::detect().map(Kernels::Avx512));
        }
        all
    }

    proptest! {
        #[test]
        fn every_machine_adds_up_the_same(
            words in 1_usize..80,
            groups in 0_usize..4,
            seed in any::<[u64; LANES]>(),
            full in any::<bool>(),
        ) {
            let stir = |number: usize, lane: usize| {
                let number = number as u64 + 1;
                if full { u64::MAX } else { seed[lane].wrapping_mul(number * number).rotate_left((number % 64).try_into().unwrap()) }
            };
            let codes: Vec<Words> =
                (0..words * groups).map(|n| std::array::from_fn(|lane| stir(n, lane))).collect();
            let planes: Vec<[u64; PLANES]> =
                (0..words).map(|n| std::array::from_fn(|plane| stir(n + 7, plane))).collect();
            let mut naive = vec![[0; LANES]; groups];
            for (group, sums) in naive.iter_mut().enumerate() {
                for (lane, sum) in sums.iter_mut().enumerate() {
                    for dimension in 0..words * 64 {
                        let (word, bit) = (dimension / 64, dimension % 64);
                        let has = |word: u64| i32::from(word >> bit & 1 == 1);
                        let [a, b, c, d] = planes[word].map(has);
                        *sum += has(codes[group * words + word][lane]) * (a + 2 * b + 4 * c - 8 * d);
                    }
                }
            }
            for kernels in available() {
                let mut sums = vec![[7; LANES]; groups];
                kernels.sums(&codes, &planes, &mut sums);
                prop_assert_eq!(&sums, &naive, "{:?}", kernels);
            }
        }

        #[test]
        fn every_machine_multiplies_the_same(
            pairs in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 0..700)
        ) {
            let vector: Vec<Half> = pairs.iter().map(|pair| Half::new(pair.0)).collect();
            let question: Vec<f32> = pairs.iter().map(|pair| pair.1).collect();
            let exact: f64 =
                vector.iter().zip(&question).map(|(a, b)| f64::from(a.value()) * f64::from(*b)).sum();
            for kernels in available() {
                let dot = f64::from(kernels.dot(&vector, &question));
                prop_assert!((dot - exact).abs() < 1e-4, "{kernels:?}: {dot} {exact}");
            }
        }
    }
}
