"""Asks a server of the Model Context Protocol what it is told to, with the official client.

Usage: client.py ERA URL
       client.py ERA COMMAND ARGUMENT…

An era is legacy, which begins with a handshake, or modern, which does without; with ",mute" after
it the client cannot ask its user anything. Every line of standard input is a step; what came of it
is printed, with a line that has a dot alone after it.
"""

import json
import os
import sys

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import ElicitResult

MODES = {"legacy": "legacy", "modern": "2026-07-28"}

manner, target, *arguments = sys.argv[1:]
era, _, mute = manner.partition(",")
# What the user will say when asked, until told otherwise.
answer = "cancel"


async def main():
    server = target
    if not target.startswith("http"):
        server = StdioServerParameters(command=target, args=arguments, env=dict(os.environ))
    ask = None if mute else asked
    async with Client(server, mode=MODES[era], elicitation_callback=ask, cache=None) as client:
        while line := await anyio.to_thread.run_sync(sys.stdin.readline):
            try:
                await step(client, *line.rstrip("\n").split(" ", 2))
            except MCPError as error:
                show(f"refused: {error.error.message}")
            show(".")


async def step(client, verb, name="", rest="{}"):
    match verb:
        case "tools":
            for tool in (await client.list_tools()).tools:
                show(f"{tool.name}{hints(tool.annotations)}")
        case "resources":
            for resource in (await client.list_resources()).resources:
                show(f"{resource.uri} {resource.mime_type}")
            for template in (await client.list_resource_templates()).resource_templates:
                show(f"{template.uri_template} {template.mime_type}")
        case "prompts":
            for prompt in (await client.list_prompts()).prompts:
                show(f"{prompt.name} {' '.join(one.name for one in prompt.arguments or [])}".strip())
        case "call":
            result = await client.call_tool(name, json.loads(rest), progress_callback=progress)
            for content in result.content:
                show(("failed: " if result.is_error else "") + content.text)
        case "data":
            result = await client.call_tool(name, json.loads(rest))
            show(json.dumps(result.structured_content, indent=1, sort_keys=True))
        case "leave":
            await leave(client, name, json.loads(rest))
        case "read":
            for content in (await client.read_resource(name)).contents:
                show(content.text)
        case "prompt":
            result = await client.get_prompt(name, json.loads(rest))
            for message in result.messages:
                show(f"{message.role}: {message.content.text}")
        case "say":
            global answer
            answer = name
        case _:
            raise ValueError(f"there is no step {verb}")


async def leave(client, name, arguments):
    """Makes a call, and lets go of it as soon as there is some progress."""
    with anyio.CancelScope() as scope:

        async def progress(done, total, message):
            if done > 0:
                scope.cancel()

        await client.call_tool(name, arguments, progress_callback=progress)
    show("let go" if scope.cancelled_caught else "it was faster")
    # Long enough for the call to be done, were it not for us.
    await anyio.sleep(1.5)


async def progress(done, total, message):
    show(f"… {done:g} of {total:g}" if total else f"… {done:g}")


async def asked(context, parameters):
    show(f"? {parameters.message} ({answer})")
    return ElicitResult(action=answer, content={} if answer == "accept" else None)


def hints(annotations):
    names = ["read_only", "destructive", "idempotent"]
    given = [name for name in names if annotations and getattr(annotations, f"{name}_hint")]
    return f" ({', '.join(given)})" if given else ""


def show(text):
    print(text, flush=True)


anyio.run(main)
