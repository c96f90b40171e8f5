use cofio::lifecycle::spend::Usage;
use cofio::llm::Charge;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

/// What a server answered, in no dialect.
#[derive(Debug, PartialEq, Eq)]
pub struct Reading {
    pub ending: Ending,
    pub text: String,
    pub charge: Charge,
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The model had nothing more to say.
    Whole,
    /// There was no room for more.
    CutShort,
    /// The model, or who watches over it, will not answer.
    Refused,
    /// In a way that was not asked for.
    Odd,
}

/// Takes a server at its word, unless it says that nothing was read.
pub fn charge(input: u64, output: u64) -> Charge {
    if input == 0 { Charge::Unknown } else { Charge::Tokens(Usage { input, output }) }
}

/// Reads JSON of some form; the error holds nothing of its content.
pub fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| {
        let place = format!("line {} column {}", error.line(), error.column());
        match error.classify() {
            Category::Data => format!("it is of another form than expected at {place}"),
            _ => format!("it is not JSON at {place}"),
        }
    })
}
