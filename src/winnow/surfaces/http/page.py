"""The document of the API as a page to read, which needs nothing from anywhere else."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from typing import cast

from winnow.surfaces.http.openapi import describe_api
from winnow.values import Json

HEADERS: Mapping[str, str] = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"
}

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #1b1b1b; background: #fff; }
code, pre { font: 14px/1.45 ui-monospace, monospace; }
pre { background: #f4f4f2; padding: .75rem; overflow-x: auto; }
details { border-top: 1px solid #ddd; padding: .4rem 0; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; }
@media (prefers-color-scheme: dark) {
  body { color: #e6e6e6; background: #161616; } pre { background: #222; }
  details { border-color: #333; } a { color: #9cf; }
}
"""
_Object = Mapping[str, Json]


@cache
def as_html() -> str:
    """Return the page."""
    document = describe_api()
    info = cast(_Object, document["info"])
    title = f"{info['title']} {info['version']}"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        *(f"<p>{escape(text)}</p>" for text in str(info["description"]).split("\n\n")),
        '<p>The same for programs: <a href="/openapi.json">/openapi.json</a></p>',
        "<h2>Requests</h2>",
        *_write_paths(cast(Mapping[str, _Object], document["paths"])),
        "<h2>Answers</h2>",
        *_write_schemas(cast(Mapping[str, Mapping[str, _Object]], document["components"])),
        "</body></html>",
    ]
    return "\n".join(parts)


def _write_paths(paths: Mapping[str, _Object]) -> Iterator[str]:
    for path, methods in paths.items():
        for method, described in methods.items():
            yield from _write_operation(method.upper(), path, cast(_Object, described))


def _write_operation(method: str, path: str, described: _Object) -> Iterator[str]:
    name = escape(f"{method} {path}")
    yield f'<details id="{escape(str(described["operationId"]))}">'
    yield f"<summary><b>{escape(method)}</b> <code>{escape(path)}</code>"
    yield f" {escape(str(described['summary']))}</summary>"
    rows = cast(Sequence[_Object], described.get("parameters", ()))
    if rows:
        yield from _write_table(
            (str(one["name"]), str(one["in"]), _name_type(cast(_Object, one["schema"])), one)
            for one in rows
        )
    body = cast(_Object, described.get("requestBody", {}))
    if body:
        yield from _write_body(name, cast(Mapping[str, _Object], body["content"]))
    yield f"<p>{_write_answer(cast(Mapping[str, _Object], described['responses']))}</p></details>"


def _write_body(name: str, content: Mapping[str, _Object]) -> Iterator[str]:
    described = next(iter(content.values()))
    schema = cast(_Object, described["schema"])
    properties = cast(Mapping[str, _Object], schema.get("properties", {}))
    required = cast(Sequence[str], schema.get("required", ()))
    yield from _write_table(
        (one, "body", _name_type(told), {**told, "required": one in required})
        for one, told in properties.items()
    )
    if "example" in described:
        example = json.dumps(described["example"], ensure_ascii=False, indent=2)
        yield f"<p>{name}</p><pre>{escape(example)}</pre>"


def _write_table(rows: Iterator[tuple[str, str, str, _Object]]) -> Iterator[str]:
    yield "<table><tr><th>argument</th><th>in</th><th>type</th><th></th></tr>"
    for name, place, kind, told in rows:
        needed = "required; " if told.get("required") else ""
        text = escape(needed + str(told.get("description", "")))
        yield f"<tr><td><code>{escape(name)}</code></td><td>{place}</td>"
        yield f"<td>{escape(kind)}</td><td>{text}</td></tr>"
    yield "</table>"


def _write_answer(responses: Mapping[str, _Object]) -> str:
    status, told = next(iter(responses.items()))
    content = cast(Mapping[str, Mapping[str, _Object]], told["content"])
    kind, described = next(iter(content.items()))
    shown = _name_type(described["schema"])
    link = f'<a href="#{escape(shown)}">{escape(shown)}</a>' if shown[:1].isupper() else shown
    return f"Answers {escape(status)} with {escape(kind)}: {link}"


def _write_schemas(components: Mapping[str, Mapping[str, _Object]]) -> Iterator[str]:
    for name, schema in components["schemas"].items():
        text = json.dumps(schema, ensure_ascii=False, indent=2)
        yield f'<details id="{escape(name)}"><summary><code>{escape(name)}</code></summary>'
        yield f"<pre>{escape(text)}</pre></details>"


def _name_type(schema: _Object) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(str(one) for one in cast(Sequence[Json], schema["enum"]) if one)
    if "anyOf" in schema:
        return " or ".join(map(_name_type, cast(Sequence[_Object], schema["anyOf"])))
    kinds = schema.get("type", "anything")
    named = [str(one) for one in kinds] if isinstance(kinds, list) else [str(kinds)]
    return " or ".join(one for one in named if one != "null")
