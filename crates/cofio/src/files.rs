//! Memory as files of markdown that people read, edit and keep under version control.
//!
//! A [`Document`] is a file as a sequence of blocks, which gives back every byte. Lists and prose
//! are [`Entry`]s, each of which may be a memory; a [`Marker`], a comment that is not shown, names
//! it. Everything else is left as it stands.
//!
//! What other programs mean by a file of markdown is in [`foreign`].
//!
//! The form of a file is in decision 18.

mod bullet;
pub mod compare;
mod content;
mod document;
mod edit;
pub mod folder;
pub mod foreign;
mod front_matter;
mod lines;
mod marker;
pub mod mirror;
mod output;
mod parse;
mod render;

pub use compare::compare;
pub use content::normal;
pub use document::{Document, Entry, Form, Place};
pub use edit::{Edit, Position, Shape};
pub use folder::Folder;
pub use front_matter::{FrontMatter, Value};
pub use marker::Marker;
pub use mirror::Mirror;

#[cfg(test)]
mod tests;
