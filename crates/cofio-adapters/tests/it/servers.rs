//! Servers of one test alone, and what can be done to them.

pub mod authority;
#[cfg(feature = "postgres")]
pub mod disk;
pub mod instance;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod proxy;
pub mod signals;
