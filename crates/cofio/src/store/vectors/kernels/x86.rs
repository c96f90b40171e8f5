//! The inner loops in the vector instructions of x86-64.
#![expect(unsafe_code, reason = "instructions that not every machine has, and loads by address")]

use std::arch::x86_64::{__m256i, _MM_HINT_T1, _mm_loadu_si128, _mm_prefetch};
use std::arch::x86_64::{
    _mm256_add_epi8, _mm256_add_epi64, _mm256_add_ps, _mm256_and_si256, _mm256_cvtph_ps,
    _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_sad_epu8, _mm256_set1_epi8,
    _mm256_set1_epi64x, _mm256_setr_epi8, _mm256_setzero_ps, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_slli_epi64, _mm256_srli_epi16, _mm256_storeu_ps,
    _mm256_storeu_si256, _mm256_sub_epi64,
};
use std::arch::x86_64::{
    _mm512_add_epi64, _mm512_add_ps, _mm512_and_si512, _mm512_cvtepi64_epi32, _mm512_cvtph_ps,
    _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_loadu_si512, _mm512_popcnt_epi64,
    _mm512_reduce_add_ps, _mm512_set1_epi64, _mm512_setzero_ps, _mm512_setzero_si512,
    _mm512_slli_epi64, _mm512_sub_epi64,
};

use super::super::half::Half;
use super::{LANES, PLANES, Words};

/// How many bytes are asked for ahead at most.
const AHEAD: usize = 4_096;

/// Asks for the beginning of what is needed soon.
pub(super) fn prefetch<T>(items: &[T]) {
    let start = items.as_ptr().cast::<i8>();
    for offset in (0..size_of_val(items).min(AHEAD)).step_by(64) {
        // SAFETY: the address is inside the items, and every machine of this kind takes the hint.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(start.add(offset)) };
    }
}

/// Proof that this machine has AVX2, FMA and F16C.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Avx2(());

/// Proof that this machine has AVX-512 with VPOPCNTDQ.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Avx512(());

#[expect(clippy::unused_self, reason = "whoever has one may call")]
impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c");
        has.then_some(Self(()))
    }

    pub(super) fn sums(self, codes: &[Words], planes: &[[u64; PLANES]], sums: &mut [[i32; LANES]]) {
        // SAFETY: only `detect` makes a value of this type, after it found what is needed.
        unsafe { sums_avx2(codes, planes, sums) }
    }

    pub(super) fn dot(self, vector: &[Half], question: &[f32]) -> f32 {
        // SAFETY: only `detect` makes a value of this type, after it found what is needed.
        unsafe { dot_avx2(vector, question) }
    }
}

#[expect(clippy::unused_self, reason = "whoever has one may call")]
impl Avx512 {
    pub(super) fn detect() -> Option<Self> {
        let has =
            is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq");
        has.then_some(Self(()))
    }

    pub(super) fn sums(self, codes: &[Words], planes: &[[u64; PLANES]], sums: &mut [[i32; LANES]]) {
        // SAFETY: only `detect` makes a value of this type, after it found what is needed.
        unsafe { sums_avx512(codes, planes, sums) }
    }

    pub(super) fn dot(self, vector: &[Half], question: &[f32]) -> f32 {
        // SAFETY: only `detect` makes a value of this type, after it found what is needed.
        unsafe { dot_avx512(vector, question) }
    }
}

#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn sums_avx512(codes: &[Words], planes: &[[u64; PLANES]], sums: &mut [[i32; LANES]]) {
    for (group, sums) in codes.chunks_exact(planes.len()).zip(sums) {
        let mut counts = [_mm512_setzero_si512(); PLANES];
        for (words, planes) in group.iter().zip(planes) {
            // SAFETY: an array of eight words has the size of what is loaded.
            let words = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
            for (count, plane) in counts.iter_mut().zip(planes) {
                let common = _mm512_and_si512(words, _mm512_set1_epi64(plane.cast_signed()));
                *count = _mm512_add_epi64(*count, _mm512_popcnt_epi64(common));
            }
        }
        let [ones, twos, fours, eights] = counts;
        let low = _mm512_add_epi64(ones, _mm512_slli_epi64::<1>(twos));
        let high = _mm512_sub_epi64(_mm512_slli_epi64::<2>(fours), _mm512_slli_epi64::<3>(eights));
        let narrow = _mm512_cvtepi64_epi32(_mm512_add_epi64(low, high));
        // SAFETY: an array of eight sums has the size of what is stored.
        unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), narrow) };
    }
}

#[target_feature(enable = "avx2")]
fn sums_avx2(codes: &[Words], planes: &[[u64; PLANES]], sums: &mut [[i32; LANES]]) {
    for (group, sums) in codes.chunks_exact(planes.len()).zip(sums) {
        for (half, sums) in sums.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let [ones, twos, fours, eights] = counts_avx2(group, planes, half);
            let low = _mm256_add_epi64(ones, _mm256_slli_epi64::<1>(twos));
            let high =
                _mm256_sub_epi64(_mm256_slli_epi64::<2>(fours), _mm256_slli_epi64::<3>(eights));
            let mut wide = [0_i64; 4];
            // SAFETY: an array of four sums has the size of what is stored.
            unsafe { _mm256_storeu_si256(wide.as_mut_ptr().cast(), _mm256_add_epi64(low, high)) };
            #[expect(clippy::cast_possible_truncation, reason = "a code has few dimensions")]
            let narrow = wide.map(|sum| sum as i32);
            *sums = narrow;
        }
    }
}

/// Counts the common bits of one half of the codes of a group with each plane.
#[target_feature(enable = "avx2")]
fn counts_avx2(group: &[Words], planes: &[[u64; PLANES]], half: usize) -> [__m256i; PLANES] {
    /// How often counts of up to eight can be added before a byte is full.
    const ROUNDS: usize = 31;
    let of_nibble = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, //
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    );
    let nibble = _mm256_set1_epi8(0x0f);
    let zero = _mm256_setzero_si256();
    let mut counts = [zero; PLANES];
    for (group, planes) in group.chunks(ROUNDS).zip(planes.chunks(ROUNDS)) {
        let mut bytes = [zero; PLANES];
        for (words, planes) in group.iter().zip(planes) {
            let words = &words.as_chunks::<4>().0[half];
            // SAFETY: an array of four words has the size of what is loaded.
            let words = unsafe { _mm256_loadu_si256(words.as_ptr().cast()) };
            for (bytes, plane) in bytes.iter_mut().zip(planes) {
                let common = _mm256_and_si256(words, _mm256_set1_epi64x(plane.cast_signed()));
                let low = _mm256_and_si256(common, nibble);
                let high = _mm256_and_si256(_mm256_srli_epi16::<4>(common), nibble);
                let count = _mm256_add_epi8(
                    _mm256_shuffle_epi8(of_nibble, low),
                    _mm256_shuffle_epi8(of_nibble, high),
                );
                *bytes = _mm256_add_epi8(*bytes, count);
            }
        }
        for (count, bytes) in counts.iter_mut().zip(bytes) {
            *count = _mm256_add_epi64(*count, _mm256_sad_epu8(bytes, zero));
        }
    }
    counts
}

#[target_feature(enable = "avx512f")]
fn dot_avx512(vector: &[Half], question: &[f32]) -> f32 {
    let (vectors, vector_rest) = vector.as_chunks::<32>();
    let (questions, question_rest) = question.as_chunks::<32>();
    let mut sums = [_mm512_setzero_ps(); 2];
    for (vector, question) in vectors.iter().zip(questions) {
        for (part, sum) in sums.iter_mut().enumerate() {
            // SAFETY: both arrays have 32 numbers, of which 16 are loaded from the start or the
            // middle; `Half` is a `u16` in memory.
            let (halves, numbers) = unsafe {
                (
                    _mm256_loadu_si256(vector.as_ptr().add(16 * part).cast()),
                    _mm512_loadu_ps(question.as_ptr().add(16 * part)),
                )
            };
            *sum = _mm512_fmadd_ps(_mm512_cvtph_ps(halves), numbers, *sum);
        }
    }
    let rest = vector_rest.iter().zip(question_rest).map(|(half, number)| half.value() * number);
    _mm512_reduce_add_ps(_mm512_add_ps(sums[0], sums[1])) + rest.sum::<f32>()
}

#[target_feature(enable = "avx2,fma,f16c")]
fn dot_avx2(vector: &[Half], question: &[f32]) -> f32 {
    let (vectors, vector_rest) = vector.as_chunks::<32>();
    let (questions, question_rest) = question.as_chunks::<32>();
    let mut sums = [_mm256_setzero_ps(); 4];
    for (vector, question) in vectors.iter().zip(questions) {
        for (part, sum) in sums.iter_mut().enumerate() {
            // SAFETY: both arrays have 32 numbers, of which the eight of a quarter are loaded;
            // `Half` is a `u16` in memory.
            let (halves, numbers) = unsafe {
                (
                    _mm_loadu_si128(vector.as_ptr().add(8 * part).cast()),
                    _mm256_loadu_ps(question.as_ptr().add(8 * part)),
                )
            };
            *sum = _mm256_fmadd_ps(_mm256_cvtph_ps(halves), numbers, *sum);
        }
    }
    let [a, b, c, d] = sums;
    let sum = _mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d));
    let mut lanes = [0.0_f32; 8];
    // SAFETY: an array of eight numbers has the size of what is stored.
    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), sum) };
    let rest = vector_rest.iter().zip(question_rest).map(|(half, number)| half.value() * number);
    lanes.into_iter().chain(rest).sum()
}
