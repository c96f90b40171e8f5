//! Numbers in half the space: IEEE 754 binary16.

/// A number with 11 significant bits, which is what a cosine needs and more than a rank does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Half(pub(super) u16);

impl Half {
    /// Returns the nearest number, the even one of two that are equally near.
    pub(crate) fn new(number: f32) -> Self {
        let bits = number.to_bits();
        let sign = (bits >> 16) & 0x8000;
        let magnitude = bits & 0x7fff_ffff;
        let rounded = match magnitude {
            // Too large, or no number at all.
            0x7f80_0001.. => 0x7e00,
            0x477f_f000.. => 0x7c00,
            // The exponent's bias differs by 112; a carry out of the fraction raises the exponent.
            0x3880_0000.. => {
                let odd = (magnitude >> 13) & 1;
                (magnitude - (112 << 23) + 0x0fff + odd) >> 13
            }
            // Below the smallest exponent, adding a half moves the fraction into its place.
            _ => (f32::from_bits(magnitude) + 0.5).to_bits() - 0x3f00_0000,
        };
        #[expect(clippy::cast_possible_truncation, reason = "both parts have 16 bits")]
        Self((sign | rounded) as u16)
    }

    /// Returns the number.
    pub(crate) fn value(self) -> f32 {
        let sign = u32::from(self.0 & 0x8000) << 16;
        let magnitude = u32::from(self.0 & 0x7fff) << 13;
        // Scaling by a power of two sets the exponent right, of the smallest numbers too.
        let value = f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23);
        let infinite = if self.0 & 0x7c00 == 0x7c00 { 0xff << 23 } else { 0 };
        f32::from_bits(sign | value.to_bits() | infinite)
    }

    /// Returns the short forms of all numbers.
    pub(crate) fn all(numbers: &[f32]) -> Vec<Self> {
        numbers.iter().copied().map(Self::new).collect()
    }

    /// Returns the bytes of all numbers, for a file.
    pub(crate) fn to_bytes(numbers: &[Self]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.0.to_le_bytes()).collect()
    }

    /// Returns the number with these bytes.
    pub(crate) fn from_le_bytes(bytes: [u8; 2]) -> Self {
        Self(u16::from_le_bytes(bytes))
    }

    /// Returns the numbers that these are the bytes of.
    pub(crate) fn from_bytes(bytes: &[u8]) -> impl Iterator<Item = Self> {
        bytes.as_chunks().0.iter().copied().map(Self::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_short_number_survives_the_way_there_and_back() {
        for bits in 0..=u16::MAX {
            let value = Half(bits).value();
            if value.is_nan() {
                assert!(Half::new(value).value().is_nan());
            } else {
                assert_eq!(Half::new(value), Half(bits), "{value}");
            }
        }
    }

    #[test]
    fn a_number_between_two_goes_to_the_nearer_and_to_the_even_one_from_the_middle() {
        for bits in 0..0x7bff_u16 {
            let (low, high) = (Half(bits), Half(bits + 1));
            let middle = f32::midpoint(low.value(), high.value());
            let even = if bits % 2 == 0 { low } else { high };
            assert_eq!(Half::new(middle), even);
            assert_eq!(Half::new(f32::from_bits(middle.to_bits() - 1)), low);
            assert_eq!(Half::new(-f32::from_bits(middle.to_bits() + 1)), Half(0x8000 | high.0));
        }
        assert_eq!(Half::new(65_519.0), Half(0x7bff));
        assert_eq!(Half::new(1e9), Half(0x7c00));
        assert!(Half(0x7c00).value().is_infinite());
    }
}
