"""Write what is generated from the code: JSON schemas, the reference of the settings, the types of the pages.

``make generate`` runs it; a test fails when a generated file is not up to date.
"""

import enum
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect as types

from windtunnel.bench.format import PLAN_FORMAT
from windtunnel.compare.bisect_format import BISECT_FORMAT, REQUEST_FORMAT
from windtunnel.compare.error_rates_format import ERROR_RATES_FORMAT
from windtunnel.compare.format import VERDICT_FORMAT
from windtunnel.detect.alert_format import ALERTS_FORMAT
from windtunnel.detect.format import CHANGES_FORMAT
from windtunnel.formats import Format, encode_pretty, field_docs, type_doc
from windtunnel.model.reach_map import KEPT_FORMAT
from windtunnel.model.run_format import BUILD_FORMAT, RUN_FORMAT
from windtunnel.model.settings import Settings
from windtunnel.publish.format.results import FILES as SITE_FILES
from windtunnel_claims.format import CLAIMS_FORMAT, ClaimSummary
from windtunnel_claims.samples_format import SAMPLES_FORMAT

ROOT = Path(__file__).parents[1]

Schema = dict[str, Any]
"""A JSON schema, or a part of one."""


FORMATS: tuple[Format[Any], ...] = (
    PLAN_FORMAT,
    BUILD_FORMAT,
    RUN_FORMAT,
    VERDICT_FORMAT,
    BISECT_FORMAT,
    REQUEST_FORMAT,
    ERROR_RATES_FORMAT,
    CHANGES_FORMAT,
    ALERTS_FORMAT,
    CLAIMS_FORMAT,
    SAMPLES_FORMAT,
    KEPT_FORMAT,
)

SETTINGS = "[tool.windtunnel] in pyproject.toml"

SCHEMAS: Mapping[str, tuple[str, type]] = {
    **{form.name.removesuffix(".json"): (form.name, form.type) for form in FORMATS},
    "settings": (SETTINGS, Settings),
}
"""The title and the type of each file that has a schema, by the name of the schema."""

PAGE_TYPES = (*SITE_FILES, ClaimSummary, CLAIMS_FORMAT.type)
"""The content of every file that the pages of the site read."""


def generated() -> Mapping[Path, bytes]:
    """Return the content of every generated file."""
    files = {ROOT / "site/page/types.js": page_types(PAGE_TYPES).encode()}
    files[ROOT / "site/page/data.js"] = page_modules(ROOT / "site/page").encode()
    for slug, (title, root) in SCHEMAS.items():
        files[ROOT / f"docs/{slug}.schema.json"] = encode_pretty(json_schema(title, root))
    files[ROOT / "docs/reference/settings.md"] = settings_page().encode()
    files[ROOT / ".ci/uv.txt"] = uv_requirement().encode()
    return files


def uv_requirement() -> str:
    """Return the requirement of the uv in uv.lock, with the hash of each wheel, by which pip installs the first uv."""
    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    (found,) = (one for one in packages if one["name"] == "uv")
    hashes = (f"    --hash={wheel['hash']}" for wheel in found["wheels"])
    head = "# Written by make generate from uv.lock: one hash for each platform."
    return " \\\n".join([f"{head}\nuv=={found['version']}", *hashes]) + "\n"


def json_schema(title: str, root: type) -> Schema:
    """Return the JSON schema (draft 2020-12) of a file."""
    (reference,), definitions = components((root,))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **reference,
        "$defs": definitions,
    }


def components(roots: Sequence[type]) -> tuple[list[Schema], dict[str, Schema]]:
    """Return the schemas of *roots* and the definitions that they refer to, with the docs of every type and field."""
    found, definitions = msgspec.json.schema_components(roots, ref_template="#/$defs/{name}")
    for cls in classes(roots):
        docs = field_docs(cls)
        if issubclass(cls, msgspec.Struct):
            docs = {field.encode_name: docs[field.name] for field in msgspec.structs.fields(cls) if field.name in docs}
        definition = definitions[cls.__name__]
        definition.pop("description", None)
        description = type_doc(cls)
        if issubclass(cls, enum.Enum):
            values = {member.name: json.dumps(member.value) for member in cls}
            description = " ".join([description, *(f"{values[name]}: {text}" for name, text in docs.items())])
        if description:
            definition["description"] = plain(description)
        for name, schema in definition.get("properties", {}).items():
            if name in docs:
                schema["description"] = plain(docs[name])
    return list(found), definitions


def classes(roots: Sequence[type]) -> Sequence[type]:
    """Return every class in the files *roots*, in the order in which a reader meets them.

    Raises ValueError when two classes have the same name.
    """
    found: dict[str, type] = {}
    for info in types.multi_type_info(roots):
        for cls in _classes(info, set()):
            if found.setdefault(cls.__name__, cls) is not cls:
                raise ValueError(f"{cls} and {found[cls.__name__]} have the same name; rename one of them")
    return tuple(found.values())


def _classes(info: types.Type, seen: set[type]) -> Iterator[type]:
    """Yield the classes below *info*, those of a class directly after it."""
    match info:
        case types.StructType() | types.DataclassType():
            if info.cls in seen:
                return
            seen.add(info.cls)
            yield info.cls
            parts: Sequence[types.Type] = tuple(field.type for field in info.fields)
        case types.EnumType():
            yield info.cls
            return
        case types.UnionType():
            parts = info.types
        case types.TupleType():
            parts = info.item_types
        case types.VarTupleType() | types.ListType() | types.SetType() | types.FrozenSetType():
            parts = (info.item_type,)
        case types.DictType():
            parts = (info.key_type, info.value_type)
        case types.Metadata():
            parts = (info.type,)
        case _:
            return
    for part in parts:
        yield from _classes(part, seen)


def plain(text: str) -> str:
    """Return a docstring as one paragraph without markup."""
    return re.sub(r"``(.+?)``", r"\1", re.sub(r"\s+", " ", text)).strip()


def settings_page() -> str:
    """Return the page of all settings: a table of keys for each type."""
    _, definitions = components((Settings,))
    head = f"<!-- Generated by make generate from the types of the settings. -->\n\n# Reference: {SETTINGS}\n"
    schema = "Every key has a default. JSON schema: [settings.schema.json](../settings.schema.json).\n"
    return "\n".join([head, schema, *(_table(cls.__name__, definitions[cls.__name__]) for cls in classes((Settings,)))])


def _table(name: str, definition: Schema) -> str:
    lines = [f"## {name}", "", definition.get("description", ""), ""]
    if "enum" in definition:
        lines += [f"One of {', '.join(f'`{value}`' for value in definition['enum'])}.", ""]
    elif definition.get("properties"):
        lines += ["| key | type | meaning |", "|---|---|---|"]
        lines += [_row(field, schema, definition) for field, schema in definition["properties"].items()]
        lines += [""]
    return "\n".join(lines)


def _row(name: str, schema: Schema, definition: Schema) -> str:
    meaning = schema.get("description", "")
    if name not in definition.get("required", ()):
        default = schema.get("default")
        by_default = (
            f"; by default `{json.dumps(default)}`" if isinstance(default, int | float | str) and default else ""
        )
        meaning = f"{meaning} Optional{by_default}.".strip()
    return f"| `{name}` | {MARKDOWN.of(schema)} | {meaning} |".replace("|  |", "| |")


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """How types are written: for people in Markdown, or for TypeScript in JSDoc."""

    reference: str
    """A type of the page; ``{name}`` and ``{anchor}`` stand for it."""
    literal: str
    """A value, ``{value}``."""
    either: str
    """Stands between alternatives."""
    array: str
    """A list of ``{inner}``."""
    mapping: str
    """An object with values ``{inner}``."""
    names: Mapping[str, str]
    """What the types of JSON are called, where another name is used."""

    def of(self, schema: Schema) -> str:
        """Return the type that *schema* describes."""
        match schema:
            case {"$ref": reference}:
                name = reference.rpartition("/")[2]
                text = self.reference.format(name=name, anchor=name.lower())
            case {"anyOf": options}:
                text = self.either.join(dict.fromkeys(map(self.of, options)))
            case {"enum": values}:
                text = self.either.join(self.literal.format(value=json.dumps(value)) for value in values)
            case {"prefixItems": items}:
                text = f"[{', '.join(map(self.of, items))}]"
            case {"type": "array", "items": items}:
                text = self.array.format(inner=self._grouped(items))
            case {"type": "object", "additionalProperties": dict(values)}:
                text = self.mapping.format(inner=self.of(values))
            case _:
                kind = str(schema.get("type", "any"))
                text = self.names.get(kind, kind)
        return text

    def _grouped(self, schema: Schema) -> str:
        text = self.of(schema)
        return f"({text})" if self.either in text else text


MARKDOWN = Notation(
    reference="[{name}](#{anchor})",
    literal="`{value}`",
    either=" or ",
    array="list of {inner}",
    mapping="object with values {inner}",
    names={"array": "list"},
)
JSDOC = Notation(
    reference="{name}",
    literal="{value}",
    either=" | ",
    array="{inner}[]",
    mapping="Record<string, {inner}>",
    names={"integer": "number"},
)


IMPORT = re.compile(r'^(?:import|export) [^;"]*?"(\.{1,2}/[^"]+)";', re.MULTILINE)
MODULES = re.compile(r"(?<=export const MODULES = new Map\(\[\n).*?(?=^\]\);)", re.MULTILINE | re.DOTALL)


def page_modules(folder: Path) -> str:
    """Return data.js with what each page imports in the end, so that all of it loads at once.

    A page that shows histories reads its files with reading.js, which is imported when it is needed.
    """
    known = imported(folder / "main.js", set())
    lines = []
    for page in sorted((folder / "pages").glob("*.js")):
        found = imported(page, known)
        if ".site()" in page.read_text(encoding="utf-8"):
            found |= imported(folder / "reading.js", known)
        names = ", ".join(f'"{path.relative_to(folder).as_posix()}"' for path in sorted(found))
        lines.append(f'  ["{page.stem}", [{names}]],\n')
    return MODULES.sub("".join(lines), (folder / "data.js").read_text(encoding="utf-8"))


def imported(module: Path, known: set[Path]) -> set[Path]:
    """Return *module* and what it imports, directly or not, without what is *known*."""
    found, todo = set[Path](), [module]
    while todo:
        path = todo.pop()
        if path not in found and path not in known:
            found.add(path)
            todo += [(path.parent / each).resolve() for each in IMPORT.findall(path.read_text(encoding="utf-8"))]
    return found


def page_types(roots: Sequence[type]) -> str:
    """Return types.js: a JSDoc typedef for each type that the pages read."""
    _, definitions = components(roots)
    blocks = [_typedef(cls.__name__, definitions[cls.__name__]) for cls in classes(roots)]
    lines = [f" * {line}".rstrip() for block in blocks for line in ["", *block]][1:]
    head = "// Generated by make generate: the types of the files that the pages read, for editors and checkers."
    return "\n".join([head, "", "/**", *lines, " */", "", "export {};", ""])


def _typedef(name: str, definition: Schema) -> list[str]:
    """Return the lines of a type, its description beside its name."""
    description = definition.get("description", "").replace("*/", "* /")
    kind = JSDOC.of(definition) if "enum" in definition else "object"
    fields = {} if "enum" in definition else definition.get("properties", {})
    return [
        f"@typedef {{{kind}}} {name} {description}".rstrip(),
        *(
            f"@property {{{JSDOC.of(schema)}}} {field} {schema.get('description', '').replace('*/', '* /')}".rstrip()
            for field, schema in fields.items()
        ),
    ]


def main() -> None:
    """Write each generated file that is not up to date, and print its path."""
    for path, content in generated().items():
        if path.exists() and path.read_bytes() == content:
            continue
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        print(f"wrote {path.relative_to(ROOT)}")  # noqa: T201 - a script for developers


if __name__ == "__main__":
    main()
