"""YAML with the line of every value, so that an error can say where it stands."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

MAX_VALUES = 100_000
MAX_DEPTH = 50
MAX_BYTES = 1_000_000
Place = tuple[Hashable, ...]


class YamlError(Exception):
    """A file that is no YAML, or uses what is not allowed here; says file and line."""


@dataclass
class Lines:
    """Where each value of a document begins, counted from 1."""

    by_place: dict[Place, int] = field(default_factory=dict)

    def of(self, place: Sequence[Hashable]) -> int:
        """Return the line of a value, or of the nearest one around it."""
        for end in range(len(place), -1, -1):
            if (line := self.by_place.get(tuple(place[:end]))) is not None:
                return line
        return 1


def read_yaml(path: Path) -> tuple[Any, Lines]:
    """Read one document.

    Raises:
        YamlError: It cannot be read, holds a name twice, or is far too large.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise YamlError(f"{path}: larger than {MAX_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise YamlError(f"{path}: cannot be read: {reason}") from error
    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        if root is None:
            raise YamlError(f"{path}: is empty")
        reading = _Reading(path, loader, Lines())
        return reading.value(root, ()), reading.lines
    except yaml.YAMLError as error:
        raise YamlError(f"{path}:{_line_of(error)}: {_reason_of(error)}") from error


@dataclass
class _Reading:
    path: Path
    loader: yaml.SafeLoader
    lines: Lines
    n_values: int = 0

    def value(self, node: yaml.Node, place: Place) -> Any:  # noqa: ANN401  # any YAML value
        line = node.start_mark.line + 1
        self.n_values += 1
        if self.n_values > MAX_VALUES or len(place) > MAX_DEPTH:
            raise YamlError(f"{self.path}:{line}: too many values, or values too deep")
        self.lines.by_place.setdefault(place, line)
        if isinstance(node, yaml.MappingNode):
            return dict(self._pairs(node, place))
        if isinstance(node, yaml.SequenceNode):
            return [self.value(each, (*place, n)) for n, each in enumerate(node.value)]
        return self.loader.construct_object(node)

    def _pairs(self, node: yaml.MappingNode, place: Place) -> Iterator[tuple[str, Any]]:
        seen = set()
        for name_node, value_node in node.value:
            line = name_node.start_mark.line + 1
            name = name_node.value
            if not isinstance(name_node, yaml.ScalarNode) or name == "<<":
                raise YamlError(f"{self.path}:{line}: a name must be a plain word")
            if name in seen:
                raise YamlError(f"{self.path}:{line}: {name!r} stands twice")
            seen.add(name)
            self.lines.by_place[*place, name] = line
            yield name, self.value(value_node, (*place, name))


def _line_of(error: yaml.YAMLError) -> int:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return 1 if mark is None else int(mark.line) + 1


def _reason_of(error: yaml.YAMLError) -> str:
    return str(getattr(error, "problem", None) or error).replace("\n", " ")
