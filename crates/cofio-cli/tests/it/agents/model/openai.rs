//! The dialect of Codex: OpenAI's Responses, as a stream of events.

use serde_json::{Value, json};

use super::{Asked, Reaction, Tool, list, text};

pub fn read(body: &Value) -> Asked {
    let items = list(&body["input"]);
    let pieces = items.iter().flat_map(|item| list(&item["content"]));
    let answer = items.last().filter(|item| item["type"] == "function_call_output");
    Asked {
        said: pieces.map(|piece| text(&piece["text"])).collect(),
        answer_of_tool: answer.map(|answer| answer["output"].to_string()),
        tools: list(&body["tools"]).iter().flat_map(tools).collect(),
    }
}

/// Returns a tool, or those of a namespace.
fn tools(offered: &Value) -> Vec<Tool> {
    let name = text(&offered["name"]);
    if offered["type"] != "namespace" {
        return vec![Tool { namespace: None, name }];
    }
    let inside = list(&offered["tools"]).iter();
    inside.map(|tool| Tool { namespace: Some(name.clone()), name: text(&tool["name"]) }).collect()
}

pub fn events(reaction: &Reaction<'_>) -> Vec<Value> {
    let item = match reaction {
        Reaction::Say(text) => json!({
            "type": "message", "id": "item_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Reaction::Call { tool, arguments } => json!({
            "type": "function_call", "id": "item_1", "call_id": "call_1", "status": "completed",
            "namespace": tool.namespace, "name": tool.name, "arguments": arguments.to_string(),
        }),
    };
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
    let response =
        json!({"id": "response_1", "status": "completed", "output": [item], "usage": usage});
    vec![
        json!({"type": "response.created", "response": {"id": "response_1"}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": response}),
    ]
}
