//! The instructions the network can be computed with, and the choice between them.

use super::encoder::{Network, Scratch};
use super::linear::Linear;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

/// The instructions the vectors are computed with; all compute the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// What every processor has.
    Portable,
    /// x86-64 with AVX2.
    Avx2,
    /// x86-64 with AVX-512 and its neural network instructions.
    Avx512,
}

impl Kernel {
    /// Every kernel, the fastest last.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Returns the fastest kernel this processor has.
    pub fn best() -> Self {
        *Self::ALL.iter().rfind(|kernel| kernel.available()).unwrap_or(&Self::Portable)
    }

    /// Returns whether this processor has the instructions.
    pub fn available(self) -> bool {
        Runner::new(self).is_some()
    }
}

/// Multiplies rows of whole numbers with a matrix.
pub(super) trait Multiply: Copy {
    /// Writes one row of output for each row of input; `units` are the units of the input rows.
    fn multiply(self, linear: &Linear, input: &[i16], units: &[f32], output: &mut [f32]);
}

/// A kernel that this processor has.
#[derive(Clone, Copy)]
pub(super) enum Runner {
    Portable(portable::Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
}

impl Runner {
    pub fn new(kernel: Kernel) -> Option<Self> {
        match kernel {
            Kernel::Portable => Some(Self::Portable(portable::Portable)),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => avx2::Avx2::detect().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => avx512::Avx512::detect().map(Self::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Avx2 | Kernel::Avx512 => None,
        }
    }

    /// Computes the vectors of some texts.
    pub fn run(self, network: &Network<'_>, scratch: &mut Scratch) -> Vec<Vec<f32>> {
        match self {
            Self::Portable(kernel) => network.vectors(kernel, scratch),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(kernel) => kernel.run(network, scratch),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(kernel) => kernel.run(network, scratch),
        }
    }
}
