"""The public names with their signatures and members, as text that can be compared."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from types import ModuleType
from typing import Any

import baserate as br
from stability import why_unstable

WIDTH = 100


def text() -> str:
    """Return a block for each public name, in the order of the alphabet."""
    names = sorted(set(dir(br)) - {"__version__"}, key=lambda name: (name.lower(), name))
    return "\n".join(_block(name) for name in names)


def _block(name: str) -> str:
    stability = "# may change" if why_unstable(name) else "# stable"
    return "\n".join([stability, *_described(name, getattr(br, name)), ""])


def _described(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, ModuleType):
        yield f"module {name}"
        yield from _indented(
            line for part in value.__all__ for line in _described(part, getattr(value, part))
        )
    elif isinstance(value, Mapping):
        yield f"mapping {name}"
        yield from _indented(value)
    elif isinstance(value, type):
        yield from _class(name, value)
    else:
        yield from _function("def", name, value)


def _class(name: str, value: type) -> Iterator[str]:
    yield f"class {name}({', '.join(_parents(value))})"
    if issubclass(value, Enum):
        yield from _indented(f"{member.name} = {member.value!r}" for member in value)
    elif not issubclass(value, BaseException):
        yield from _indented(_function("def", "__init__", value))
    for member, found in sorted(_members(value).items()):
        yield from _indented(_member(member, found))


def _parents(value: type) -> list[str]:
    """Return the names of the classes that a caller can ask for."""
    public = {*dir(br), *br.exceptions.__all__}
    parents = [each for each in value.__mro__[1:] if each is not object]
    return [
        each.__name__
        for each in parents
        if each.__name__ in public or not each.__module__.startswith(("baserate", "typing"))
    ]


def _members(value: type) -> dict[str, Any]:
    """Return the public attributes that the library itself gives to a class."""
    found: dict[str, Any] = {}
    for each in reversed(value.__mro__):
        if each.__module__.startswith("baserate"):
            # What a field has as a default is part of the signature, so that its type goes first.
            found |= vars(each) | inspect.get_annotations(each)
    members = {member.name for member in value} if issubclass(value, Enum) else set()
    return {name: part for name, part in found.items() if name[0] != "_" and name not in members}


def _member(name: str, found: Any) -> Iterator[str]:
    if isinstance(found, (classmethod, staticmethod)):
        yield from _function(type(found).__name__, name, found.__func__)
    elif inspect.isfunction(found):
        yield from _function("def", name, found)
    else:
        yield f"{name}: {_type_of(found)}"


def _type_of(found: Any) -> str:
    """Return the type of a field, which is a string, or of a property."""
    getter = getattr(found, "fget", None) or getattr(found, "func", None)
    if getter is not None:
        found = inspect.get_annotations(getter).get("return", "?")
    return found if isinstance(found, str) else type(found).__name__


def _function(kind: str, name: str, function: Any) -> Iterator[str]:
    """Yield a signature on one line, or on one per parameter if it is long."""
    signature = inspect.signature(function)
    result = signature.return_annotation
    end = ")" if result in (inspect.Signature.empty, None, "None") else f") -> {result}"
    parts = list(_parameters(signature))
    line = f"{kind} {name}({', '.join(parts)}{end}"
    if len(line) <= WIDTH:
        yield line
    else:
        yield from (f"{kind} {name}(", *_indented(f"{part}," for part in parts), end)


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    """Yield the parameters, with the star after which they go by name."""
    before = None
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and before not in (
            each.KEYWORD_ONLY,
            each.VAR_POSITIONAL,
        ):
            yield "*"
        before = each.kind
        name, equals, _ = str(each.replace(annotation=each.empty)).partition("=")
        kind = "" if each.annotation is each.empty else f": {each.annotation}"
        yield f"{name}{kind} = {_default(each.default)}" if equals else f"{name}{kind}"


def _default(value: Any) -> str:
    """Return a default as one would write it; a record is named only."""
    if isinstance(value, Enum):
        return str(value) if not isinstance(value, str) else repr(value.value)
    if inspect.isfunction(value):
        return value.__name__
    return repr(value) if len(repr(value)) < WIDTH / 2 else f"{type(value).__name__}(...)"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)
