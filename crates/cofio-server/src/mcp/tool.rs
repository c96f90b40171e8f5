use std::pin::Pin;

use cofio::ErrorKind;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, JsonObject, Tool as Definition, ToolAnnotations,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::call::Call;
use super::failure::{self, Failure, Outcome};
use super::schema;

/// Something that a model can have done.
pub(crate) trait Tool: 'static {
    /// What it takes.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// What it answers.
    type Output: Reply;

    /// What it is called.
    const NAME: &'static str;
    /// What people call it.
    const TITLE: &'static str;
    /// What a model reads to decide whether it helps, in the words that it would look for.
    const DESCRIPTION: &'static str;
    /// What it does to what is kept.
    const EFFECT: Effect;

    /// Does it.
    fn run(call: &Call, input: Self::Input) -> impl Future<Output = Outcome<Self::Output>> + Send;
}

/// What a tool answers: values for programs, and a text that says the same.
pub(crate) trait Reply: Serialize + JsonSchema {
    /// Says it for a model that is given nothing else.
    fn text(&self) -> String;
}

/// The answer of a tool that answers in words.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Words {
    result: String,
}

impl Reply for Words {
    fn text(&self) -> String {
        self.result.clone()
    }
}

impl From<String> for Words {
    fn from(result: String) -> Self {
        Self { result }
    }
}

/// What a tool does to what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    Reads,
    /// It adds, once, however often it is asked.
    Adds,
    /// It replaces what is there.
    Changes,
    /// It removes, for ever.
    Forgets,
}

/// A tool of any type, as profiles list it.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// What it is called.
    pub(crate) name: &'static str,
    define: fn() -> Definition,
    run: fn(Call, JsonObject) -> Running,
}

/// A call that is under way.
type Running = Pin<Box<dyn Future<Output = Result<CallToolResponse, ErrorData>> + Send>>;

impl Entry {
    /// Makes the entry of a tool.
    pub(crate) const fn of<T: Tool>() -> Self {
        Self { name: T::NAME, define: define::<T>, run: run::<T> }
    }

    /// Returns what clients are told of it.
    pub(crate) fn definition(&self) -> Definition {
        (self.define)()
    }

    /// Has it done.
    pub(crate) fn call(&self, call: Call, arguments: JsonObject) -> Running {
        (self.run)(call, arguments)
    }
}

fn define<T: Tool>() -> Definition {
    let annotations = ToolAnnotations::new()
        .read_only(T::EFFECT == Effect::Reads)
        .destructive(matches!(T::EFFECT, Effect::Changes | Effect::Forgets))
        .idempotent(T::EFFECT != Effect::Changes)
        .open_world(false);
    Definition::new(T::NAME, T::DESCRIPTION, schema::of::<T::Input>())
        .with_title(T::TITLE)
        .with_raw_output_schema(schema::of::<T::Output>())
        .with_annotations(annotations)
}

fn run<T: Tool>(call: Call, arguments: JsonObject) -> Running {
    Box::pin(async move {
        let input = match serde_json::from_value(Value::Object(arguments)) {
            Ok(input) => input,
            Err(error) => {
                call.notes.failed(ErrorKind::Invalid.code());
                return Ok(failure::misuse(&error).into());
            }
        };
        match T::run(&call, input).await {
            Ok(output) => Ok(success(&output).into()),
            Err(Failure::Asks(question)) => Ok((*question).into()),
            Err(Failure::Said(words)) => {
                call.notes.failed(ErrorKind::Invalid.code());
                Ok(failure::worded(words).into())
            }
            Err(Failure::Failed(error)) => {
                call.notes.failed(error.kind().code());
                Ok(failure::result(&error).into())
            }
        }
    })
}

fn success(output: &impl Reply) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(output.text())]);
    // Nothing that a tool answers is anything but JSON.
    result.structured_content = serde_json::to_value(output).ok();
    result
}
