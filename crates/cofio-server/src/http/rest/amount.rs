use cofio::{Error, Result};

/// Returns how many are wanted: the usual number if nothing is said, and never none or too many.
pub(crate) fn amount(said: Option<usize>, usual: usize, most: usize) -> Result<usize> {
    match said.unwrap_or(usual) {
        wanted if (1..=most).contains(&wanted) => Ok(wanted),
        _ => Err(Error::invalid(format!("limit is from 1 to {most}")).with("limit", most)),
    }
}
