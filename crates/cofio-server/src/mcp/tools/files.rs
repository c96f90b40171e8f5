//! The workspace of markdown files: a world that is shared, and an agent's own memory and log.

use cofio::model::{Layer, Scope};

use crate::dialects::workspace::{self, LearnFact, Recall, Reflect, Remember, Search, Workspace};
use crate::dialects::{ToolError, Writer};
use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Entry, Tool, Words};

/// What a model is told about using them.
pub(crate) const INSTRUCTIONS: &str = workspace::DIRECTIVE;

/// Makes the tools of one workspace, and the list of them.
macro_rules! tools {
    ($($type:ident = $name:literal, $title:literal, $effect:ident, $input:ty, $run:expr, $description:literal;)+) => {
        /// The tools of the profile.
        pub(crate) const TOOLS: &[Entry] = &[$(Entry::of::<$type>()),+];

        $(pub(crate) struct $type;

        impl Tool for $type {
            type Input = $input;
            type Output = Words;
            const NAME: &'static str = $name;
            const TITLE: &'static str = $title;
            const DESCRIPTION: &'static str = $description;
            const EFFECT: Effect = Effect::$effect;

            async fn run(call: &Call, input: $input) -> Outcome<Words> {
                let answer: Result<String, ToolError> = $run(&workspace(call).await?, input).await;
                Ok(answer?.into())
            }
        })+
    };
}

tools! {
    RecallTool = "recall", "Recall", Reads, Recall, Workspace::recall,
        "Read memory: what is known of the world, your MEMORY.md, and the daily log of the last days. Call it when a conversation begins.";
    RememberTool = "remember", "Remember", Changes, Remember, Workspace::remember,
        "Add an entry to today's log, after learning something worth knowing later.";
    ReflectTool = "reflect", "Reflect", Changes, Reflect, Workspace::reflect,
        "Read your MEMORY.md, or replace it with what is worth keeping at the end of a session.";
    LearnFactTool = "learn_fact", "Learn a fact", Changes, LearnFact, Workspace::learn_fact,
        "Replace what all agents know about a topic, such as people, systems or preferences.";
    SearchMemoryTool = "search_memory", "Search memory", Reads, Search, Workspace::search,
        "Find what is older than the days that recall reads, in all files, by words, meaning and dates.";
}

/// Returns the workspace: the world is the project's where there is one, and the memory and the log
/// are the agent's where it has a name.
async fn workspace(call: &Call) -> cofio::Result<Workspace> {
    let writer = call.writer().await?;
    let world = Writer { scope: scope(call, Layer::Project)?, ..writer.clone() };
    let agent = Writer { scope: scope(call, Layer::Agent)?, ..writer };
    Ok(Workspace::new(world, agent))
}

/// Returns the scope of a layer, or the one that everything goes to if that layer is not open.
fn scope(call: &Call, layer: Layer) -> cofio::Result<Scope> {
    let place = call.place();
    place.scope(Some(layer), None).or_else(|_| place.scope(None, None))
}
