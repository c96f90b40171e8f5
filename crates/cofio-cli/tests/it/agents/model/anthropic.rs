//! The dialect of Claude Code: Anthropic's Messages, as a stream of events.

use serde_json::{Value, json};

use super::{Asked, Reaction, Tool, list, text};

pub fn read(body: &Value) -> Asked {
    // A system's message among the others is where some versions put what was added to a prompt.
    let messages = list(&body["messages"]);
    let pieces = messages.iter().flat_map(|message| pieces_of(&message["content"]));
    let tools = list(&body["tools"]).iter();
    let last = messages.iter().rfind(|message| message["role"] == "user");
    let answer_of_tool = last
        .and_then(|last| list(&last["content"]).iter().find(|part| part["type"] == "tool_result"));
    Asked {
        said: pieces.collect(),
        answer_of_tool: answer_of_tool.map(|answer| pieces_of(&answer["content"]).join("\n")),
        tools: tools.map(|tool| Tool { namespace: None, name: text(&tool["name"]) }).collect(),
    }
}

/// Returns the texts of a message, or of what a tool answered.
fn pieces_of(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        content => list(content)
            .iter()
            .filter(|piece| piece["type"] == "text")
            .map(|piece| text(&piece["text"]))
            .collect(),
    }
}

pub fn events(reaction: &Reaction<'_>) -> Vec<Value> {
    let (block, delta, reason) = match reaction {
        Reaction::Say(text) => (
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": text}),
            "end_turn",
        ),
        Reaction::Call { tool, arguments } => (
            json!({"type": "tool_use", "id": "toolu_1", "name": tool.name, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": arguments.to_string()}),
            "tool_use",
        ),
    };
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    let end = json!({"stop_reason": reason, "stop_sequence": null});
    vec![
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": end, "usage": usage}),
        json!({"type": "message_stop"}),
    ]
}
