"""Writes the modules of the client that follow from the server's OpenAPI document.

Usage: generate.py http://127.0.0.1:7717

`types.py` has a type for everything that is sent or comes back, and `operations.py` a function for
every request at /v1, which only describes it, with a verb for each.
"""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import httpx

PACKAGE = Path(__file__).parent.parent / "src" / "cofio"

Schema = dict[str, Any]

NOTICE = "# Written by tools/generate.py from the OpenAPI document of the server."

JSON = "application/json"
LINES = "application/x-ndjson"
EVENTS = "text/event-stream"

# Headers that a verb takes under a name of its own; others are not for programs to set.
HEADERS = {
    "Idempotency-Key": (
        "idempotency_key",
        "str",
        "idempotency",
        "a name for the request: with the same one it is done once; made up if none is given",
    ),
    "If-Match": ("if_version", "int", "expecting", "only if this is still its version"),
}


def main(url: str) -> None:
    document = httpx.get(f"{url}/openapi.json", trust_env=False).raise_for_status().json()
    for name, text in generate(document).items():
        (PACKAGE / name).write_text(text, encoding="utf-8")


def generate(document: Schema) -> dict[str, str]:
    """Returns the modules by their names."""
    operations = selected(document)
    schemas = document["components"]["schemas"]
    used = reachable(schemas, [operation for _, _, operation in operations])
    return {
        "types.py": formatted(types_module({name: schemas[name] for name in sorted(used)})),
        "operations.py": formatted(operations_module(operations, schemas)),
    }


def selected(document: Schema) -> list[tuple[str, str, Schema]]:
    """Returns the operations of the native API, each with its method and path."""
    return [
        (method.upper(), path, operation)
        for path, methods in document["paths"].items()
        if path.startswith("/v1/") and not path.endswith("/")
        for method, operation in methods.items()
    ]


def answer(operation: Schema) -> Schema:
    """Returns the content of what comes back if all goes well."""
    for status in ("200", "201"):
        if "content" in operation["responses"].get(status, {}):
            content: Schema = operation["responses"][status]["content"]
            return content
    raise ValueError(f"{operation['operationId']} answers nothing")


def answer_type(operation: Schema) -> str:
    content = answer(operation)
    if LINES in content:
        return "bytes"
    if EVENTS in content:
        return qualified(expression(content[EVENTS]["schema"]["contentSchema"]))
    return qualified(expression(content[JSON]["schema"]))


def reachable(schemas: Schema, starts: list[Schema]) -> set[str]:
    """Returns the names of all schemas that operations lead to."""
    found: set[str] = set()
    waiting: list[Any] = list(starts)
    while waiting:
        match waiting.pop():
            case dict() as node:
                name = node.get("$ref", "").rpartition("/")[2]
                if name in schemas and name not in found:
                    found.add(name)
                    waiting.append(schemas[name])
                waiting.extend(node.values())
            case list() as nodes:
                waiting.extend(nodes)
    return found


def types_module(schemas: Schema) -> str:
    body = "\n\n".join(declaration(name, schema) for name, schema in schemas.items())
    return f'''\
"""What is sent and what comes back, by the names of the API."""

{NOTICE}

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

{body}
'''


def declaration(name: str, schema: Schema) -> str:
    """Returns one type; names that cannot stand in a class are given in a dictionary."""
    if "properties" not in schema:
        return f"{name} = {expression(schema)}\n{docstring(schema, 0)}"
    required = schema.get("required", [])
    fields = {
        field: expression(inner) if field in required else f"NotRequired[{expression(inner)}]"
        for field, inner in schema["properties"].items()
    }
    if any(not field.isidentifier() or keyword.iskeyword(field) for field in fields):
        # Its values are looked at when the module is loaded, so they are texts.
        listed = ",\n".join(f"{field!r}: {kind!r}" for field, kind in fields.items())
        return f"{name} = TypedDict({name!r}, {{{listed}}})\n{docstring(schema, 0)}"
    lines = [f"class {name}(TypedDict):", docstring(schema, 4) or '    """An object."""']
    for field, kind in fields.items():
        lines.append(f"    {field}: {kind}")
        lines.append(docstring(schema["properties"][field], 4))
    return "\n".join(line for line in lines if line)


def expression(schema: Schema | bool) -> str:
    """Returns how a type is written."""
    if isinstance(schema, bool):
        return "Any"
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "enum" in schema:
        return f"Literal[{', '.join(repr(one) for one in schema['enum'] if one is not None)}]"
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " | ".join(dict.fromkeys(expression(one) for one in schema[choice]))
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return " | ".join(simple(kind, schema) for kind in kinds) or "Any"


def simple(kind: str, schema: Schema) -> str:
    match kind:
        case "array":
            return f"list[{expression(schema.get('items', True))}]"
        case "object":
            return f"dict[str, {expression(schema.get('additionalProperties', True))}]"
        case _:
            names = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
            return names.get(kind, "None")


def docstring(schema: Schema, indent: int) -> str:
    text = schema.get("description", "")
    return textwrap.indent(quoted(text, 100 - indent), " " * indent) if text else ""


def quoted(text: str, width: int) -> str:
    """Returns a text as a docstring."""
    text = text.replace("\\", "\\\\").rstrip()
    if not text.endswith((".", "!", "?", "`")):
        text += "."
    first, *rest = [" ".join(part.split()) for part in text.split("\n\n")]
    lines = textwrap.wrap(first, width - 6)
    for part in rest:
        lines += ["", *textwrap.wrap(part, width)]
    return '"""' + "\n".join(lines) + ('"""' if len(lines) == 1 else '\n"""')


def operations_module(operations: list[tuple[str, str, Schema]], schemas: Schema) -> str:
    functions = [function(method, path, one, schemas) for method, path, one in operations]
    verbs = "\n".join(
        f"    {snake(one['operationId'])} = {verb(one)}({snake(one['operationId'])})"
        for _, _, one in operations
    )
    body = "\n\n".join(functions)
    helpers = [name for name in ("expecting", "given", "idempotency", "segment") if name in body]
    used = re.findall(r"\btypes\.", body)
    return f'''\
"""Every request of the API, described."""

{NOTICE}

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from cofio.request import Request, {", ".join(helpers)}
from cofio.verb import EventsVerb, LinesVerb, PagedVerb, Verb

{"if TYPE_CHECKING:" if used else ""}
{"    from cofio import types" if used else ""}

{body}


class Operations:
    """The verbs of a client."""

{verbs}
'''


def verb(operation: Schema) -> str:
    """Returns the kind of verb by what comes back."""
    content = answer(operation)
    if LINES in content:
        return "LinesVerb"
    if EVENTS in content:
        return "EventsVerb"
    names = {parameter["name"] for parameter in operation["parameters"]}
    return "PagedVerb" if names & {"cursor", "after"} else "Verb"


def function(method: str, path: str, operation: Schema, schemas: Schema) -> str:
    """Returns the function that describes one operation."""
    positional: list[str] = []
    needed: list[str] = []
    optional: list[str] = []
    query: list[str] = []
    headers: list[str] = []
    about: list[tuple[str, str]] = []
    for parameter in operation["parameters"]:
        name, place = parameter["name"], parameter["in"]
        if place == "header":
            if name not in HEADERS:
                continue
            argument, kind, build, text = HEADERS[name]
            headers.append(f"{build}({argument})")
            optional.append(f"{argument}: {kind} | None = None")
            about.append((argument, text))
            continue
        argument, kind = argument_name(name), qualified(expression(parameter["schema"]))
        about.append((argument, described(parameter)))
        if place == "path":
            positional.append(f"{argument}: {kind}")
            path = path.replace(f"{{{name}}}", f"{{segment({argument})}}")
        else:
            listed = needed if parameter.get("required") else optional
            listed.append(f"{argument}: {kind}" + ("" if listed is needed else " | None = None"))
            query.append(f"{name!r}: {argument}")
    if takes_lines(operation):
        positional.append("lines: bytes | Iterable[bytes]")
        about.append(("lines", "lines of JSON, as an export yields them"))
    body = []
    for name, schema, required in body_fields(operation, schemas):
        argument, kind = argument_name(name), qualified(expression(schema))
        about.append((argument, described(schema)))
        if required:
            needed.append(f"{argument}: {kind}")
        else:
            kind = kind if kind.endswith("| None") or kind == "Any" else f"{kind} | None"
            optional.append(f"{argument}: {kind} = None")
        body.append(f"{name!r}: {argument}")
    keywords = needed + optional
    arguments = positional + (["*", *keywords] if keywords else [])
    prefix = "f" if "{" in path else ""
    parts = [repr(method), f'{prefix}"{path}"']
    if query:
        parts.append(f"query=given({{{', '.join(query)}}})")
    if headers:
        parts.append(f"headers={' | '.join(headers)}")
    if takes_lines(operation):
        parts.append("content=lines")
    elif "requestBody" in operation:
        parts.append(f"body=given({{{', '.join(body)}}})")
    if is_repeatable(method, operation):
        parts.append("repeatable=True")
    return (
        f"def {snake(operation['operationId'])}({', '.join(arguments)})"
        f" -> Request[{answer_type(operation)}]:\n"
        f"{textwrap.indent(explained(operation, about), '    ')}\n"
        f"    return Request({', '.join(parts)})\n"
    )


def takes_lines(operation: Schema) -> bool:
    return LINES in operation.get("requestBody", {}).get("content", {})


def body_fields(operation: Schema, schemas: Schema) -> list[tuple[str, Schema, bool]]:
    """Returns the fields of what is sent along: name, schema, and whether it is needed."""
    if "requestBody" not in operation or takes_lines(operation):
        return []
    schema = operation["requestBody"]["content"][JSON]["schema"]
    if "anyOf" in schema:
        schema = next(one for one in schema["anyOf"] if one.get("type") != "null")
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    required = schema.get("required", [])
    return [(name, one, name in required) for name, one in schema["properties"].items()]


def is_repeatable(method: str, operation: Schema) -> bool:
    """Returns whether asking twice does no more than asking once."""
    named = any(one["name"] == "Idempotency-Key" for one in operation["parameters"])
    reads = operation["description"].endswith("The key needs the right to read.")
    return method == "GET" or named or reads


def explained(operation: Schema, arguments: list[tuple[str, str]]) -> str:
    """Returns the docstring of an operation."""
    text = quoted(f"{operation['summary']}.\n\n{operation['description']}", 96)
    listed = "\n".join(
        textwrap.fill(f"{name}: {about}", 92, initial_indent="    ", subsequent_indent="        ")
        for name, about in arguments
        if about
    )
    return text.removesuffix('"""') + f'\nArgs:\n{listed}\n"""' if listed else text


def described(schema: Schema) -> str:
    text = " ".join(schema.get("description", "").split()).removesuffix(".")
    return text[:1].lower() + text[1:]


def qualified(kind: str) -> str:
    """Returns a type as it is written outside its module."""
    known = {"Any", "Literal", "None"}
    name = r"(?<!['\w])[A-Z]\w*(?!['\w])"
    return re.sub(name, lambda m: m[0] if m[0] in known else f"types.{m[0]}", kind)


def argument_name(name: str) -> str:
    name = snake(name)
    return f"{name}_" if keyword.iskeyword(name) else name


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def formatted(text: str) -> str:
    """Returns a module without what it does not need, in the form of all others."""
    ruff = [sys.executable, "-m", "ruff"]
    fix = ["check", "--fix", "--quiet", "--exit-zero", "--select", "F401,I"]
    for arguments in (fix, ["format"]):
        command = [*ruff, *arguments, "--stdin-filename", str(PACKAGE / "generated.py"), "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        text = done.stdout
    return text


if __name__ == "__main__":
    main(sys.argv[1])
