//! Servers of one test alone, and what can be done to them.

#[cfg(feature = "postgres")]
pub mod disk;
pub mod instance;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "postgres")]
pub mod proxy;
pub mod signals;
