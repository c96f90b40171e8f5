//! The two hashes by which the model finds the rows of its tables.

/// Returns `MurmurHash2` of some bytes in its 64-bit form (64A), which strings are known by.
pub(super) fn of_string(bytes: &[u8], seed: u64) -> u64 {
    const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
    const SHIFT: u32 = 47;
    let (blocks, rest) = bytes.as_chunks::<8>();
    let mut hash = seed ^ (bytes.len() as u64).wrapping_mul(FACTOR);
    for block in blocks {
        let mut key = u64::from_le_bytes(*block).wrapping_mul(FACTOR);
        key ^= key >> SHIFT;
        hash = (hash ^ key.wrapping_mul(FACTOR)).wrapping_mul(FACTOR);
    }
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        hash = (hash ^ u64::from_le_bytes(last)).wrapping_mul(FACTOR);
    }
    hash ^= hash >> SHIFT;
    hash = hash.wrapping_mul(FACTOR);
    hash ^ (hash >> SHIFT)
}

/// Returns `MurmurHash3` of eight bytes in its 128-bit form for 64-bit machines, in four parts.
pub(super) fn of_key(key: u64, seed: u32) -> [u32; 4] {
    const FIRST: u64 = 0x87c3_7b91_1142_53d5;
    const SECOND: u64 = 0x4cf5_ad43_2745_937f;
    let key = key.wrapping_mul(FIRST).rotate_left(31).wrapping_mul(SECOND);
    let (mut low, mut high) = (u64::from(seed) ^ key ^ 8, u64::from(seed) ^ 8);
    low = low.wrapping_add(high);
    high = high.wrapping_add(low);
    (low, high) = (mixed(low), mixed(high));
    low = low.wrapping_add(high);
    high = high.wrapping_add(low);
    let halves = [low.to_le_bytes(), high.to_le_bytes()].concat();
    let parts = halves.as_chunks::<4>().0;
    std::array::from_fn(|part| u32::from_le_bytes(parts[part]))
}

fn mixed(mut key: u64) -> u64 {
    key ^= key >> 33;
    key = key.wrapping_mul(0xff51_afd7_ed55_8ccd);
    key ^= key >> 33;
    key = key.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    key ^ (key >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_library_that_the_model_was_made_with() {
        assert_eq!(of_string(b"coffee", 1), 3_197_928_453_018_144_401);
        assert_eq!(of_string(b"apple", 1), 8_566_208_034_543_834_098);
        assert_eq!(of_key(0, 14), [2_819_540_073, 2_101_874_591, 192_207_005, 1_905_980_423]);
    }
}
