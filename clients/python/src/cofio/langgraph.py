"""LangGraph's store, in which every item is a memory.

An item is a fact in the scope that the store is given. Its key in Cofio is made of its namespace
and its key, so that everything below a namespace begins alike; its value stands in the custom field
`langgraph`, and its text is what a search finds it by.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
)

from cofio import operations
from cofio.errors import NotFoundError
from cofio.langgraph_items import (
    CUSTOM,
    INDEXED,
    Place,
    key_prefix,
    matches,
    meets,
    moment,
)

if TYPE_CHECKING:
    from cofio.client import Cofio
    from cofio.request import Request
    from cofio.types import ListOutput, MemoryEntry, Names, NewMemory

# A fact that has faded is still an item.
_STATES = ["active", "decayed"]

# How many hits a search has at most.
_MOST_HITS = 1000

_PAGE = 100


@dataclass(frozen=True)
class _Kept:
    """A memory read as an item."""

    memory: MemoryEntry
    place: Place
    value: dict[str, Any]
    ttl: float | None

    @classmethod
    def read(cls, memory: MemoryEntry) -> _Kept:
        kept = memory["metadata"]["custom"][CUSTOM]
        place = Place(tuple(kept["namespace"]), kept["key"])
        return cls(memory, place, kept["value"], kept.get("ttl"))

    def item(self) -> Item:
        return Item(
            namespace=self.place.namespace,
            key=self.place.key,
            value=self.value,
            created_at=moment(self.memory["createdAt"]),
            updated_at=moment(self.memory["updatedAt"]),
        )

    def found(self, score: float | None) -> SearchItem:
        return SearchItem(
            namespace=self.place.namespace,
            key=self.place.key,
            value=self.value,
            created_at=moment(self.memory["createdAt"]),
            updated_at=moment(self.memory["updatedAt"]),
            score=score,
        )


class CofioStore(BaseStore):
    """A store whose items outlive the process and are found by words and meaning.

    Secrets in a value are replaced before it is kept, and a value that names a password is refused.
    A key and its namespace have about 240 bytes together, a value 60 kB.
    """

    supports_ttl = True

    __slots__ = ("_cofio", "_doubt", "_fields", "_identifiers", "_layer", "ttl_config")

    def __init__(
        self,
        cofio: Cofio,
        *,
        layer: str = "user",
        identifiers: Names | None = None,
        fields: list[str] | None = None,
        ttl: TTLConfig | None = None,
        on_possible_secret: Literal["ask", "keep", "redact"] = "keep",
    ) -> None:
        """Keeps items in one scope: a layer, with the names that the key is not bound to.

        Items are found by the texts at `fields`, or else by their whole value. What may be a secret
        and may be harmless, such as a long id, is kept unless something else is said.
        """
        self._cofio = cofio
        self._layer = layer
        self._identifiers: Names = identifiers or {}
        self._fields = fields or ["$"]
        self._doubt = on_possible_secret
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Answers what is read by what was there before, and then writes the last of each item."""
        results: list[Result] = []
        puts: dict[Place, PutOp] = {}
        for op in ops:
            match op:
                case GetOp():
                    results.append(self._get(op))
                case SearchOp():
                    results.append(self._search(op))
                case ListNamespacesOp():
                    results.append(self._list_namespaces(op))
                case PutOp():
                    puts[Place(op.namespace, op.key)] = op
                    results.append(None)
        self._put({place: op for place, op in puts.items() if op.value is not None})
        self._delete([place for place, op in puts.items() if op.value is None])
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Does the same beside the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _get(self, op: GetOp) -> Item | None:
        kept = self._find(Place(op.namespace, op.key))
        if kept is None:
            return None
        self._refresh(op.refresh_ttl, [kept])
        return kept.item()

    def _search(self, op: SearchOp) -> list[SearchItem]:
        hits = self._hits(op) if op.query else self._unranked(op)
        wanted = ((kept, score) for kept, score in hits if meets(kept.value, op.filter))
        chosen = list(islice(wanted, op.offset, op.offset + op.limit))
        self._refresh(op.refresh_ttl, [kept for kept, _ in chosen])
        return [kept.found(score) for kept, score in chosen]

    def _hits(self, op: SearchOp) -> Iterator[tuple[_Kept, float | None]]:
        limit = _MOST_HITS if op.filter else min(op.offset + op.limit, _MOST_HITS)
        if limit == 0:
            return
        answer = self._cofio.search_memories(
            query=op.query or "",
            layers=[self._layer],
            identifiers=self._identifiers,
            limit=limit,
            filter={
                "kinds": ["fact"],
                "states": _STATES,
                "keyPrefix": key_prefix(op.namespace_prefix),
                "custom": {INDEXED: True},
            },
        )
        for hit in answer["results"]:
            yield _Kept.read(hit["memory"]), hit["score"]

    def _unranked(self, op: SearchOp) -> Iterator[tuple[_Kept, float | None]]:
        return ((kept, None) for kept in self._below(key_prefix(op.namespace_prefix)))

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        starts = [one.path for one in conditions if one.match_type == "prefix"]
        fixed = starts[0][: starts[0].index("*")] if starts and "*" in starts[0] else None
        start = fixed if fixed is not None else (starts[0] if starts else ())
        found = {kept.place.namespace for kept in self._below(key_prefix(start))}
        found = {one for one in found if all(matches(condition, one) for condition in conditions)}
        if op.max_depth is not None:
            found = {namespace[: op.max_depth] for namespace in found}
        return sorted(found)[op.offset : op.offset + op.limit]

    def _find(self, place: Place) -> _Kept | None:
        request = operations.list_memories(context_key=place.context_key(), limit=1)
        memories = self._cofio.ask(self._scoped(request))["memories"]
        return _Kept.read(memories[0]) if memories else None

    def _below(self, prefix: str) -> Iterator[_Kept]:
        """Yields every item whose key begins so, the newest first."""
        request = self._scoped(operations.list_memories(key_prefix=prefix, limit=_PAGE))
        while True:
            page = self._cofio.ask(request)
            yield from map(_Kept.read, page["memories"])
            if page["nextCursor"] is None:
                return
            request = replace(request, query={**request.query, "cursor": page["nextCursor"]})

    def _scoped(self, request: Request[ListOutput]) -> Request[ListOutput]:
        scope = {"layer": [self._layer], "kind": ["fact"], "state": _STATES, **self._identifiers}
        return replace(request, query={**request.query, **scope})

    def _put(self, puts: Mapping[Place, PutOp]) -> None:
        """Keeps items together, or none of them if one is refused; those that are there change."""
        if not puts:
            return
        places = list(puts)
        drafts = [self._draft(place, puts[place]) for place in places]
        made = self._cofio.create_memories(memories=drafts)["results"]
        for place, draft, result in zip(places, drafts, made, strict=True):
            memory = result["memory"]
            if memory.get("contextKey") != place.context_key():
                self._cofio.delete_memory(memory["id"])
                raise ValueError("the key or the namespace of an item is a secret")
            if result["existing"]:
                self._change(place, memory, draft)

    def _draft(self, place: Place, op: PutOp) -> NewMemory:
        value = dict(cast("Mapping[str, Any]", op.value))
        texts = _texts(value, self._fields if op.index is None else op.index or [])
        kept: dict[str, Any] = {"namespace": place.namespace, "key": place.key, "value": value}
        draft: NewMemory = {
            "content": "\n".join(texts) or f"item {'/'.join(place.namespace)}/{place.key}",
            "layer": self._layer,
            "identifiers": self._identifiers,
            "kind": "fact",
            "metadata": {"custom": {CUSTOM: kept, INDEXED: bool(texts)}},
            "contextKey": place.context_key(),
            "onPossibleSecret": self._doubt,
        }
        if op.ttl is not None:
            kept["ttl"] = op.ttl
            draft["ttlSeconds"] = _seconds(op.ttl)
        return draft

    def _change(self, place: Place, memory: MemoryEntry, draft: NewMemory) -> None:
        ttl = draft.get("ttlSeconds")
        try:
            if memory["state"] in _STATES:
                self._cofio.update_memory(
                    memory["id"],
                    content=draft["content"],
                    metadata=draft["metadata"],
                    ttl_seconds=ttl,
                    expires_at=None if ttl else "by-kind",
                    on_possible_secret=self._doubt,
                )
                return
            # It was put away by other means, which leaves no item, but keeps its key taken.
            self._cofio.delete_memory(memory["id"])
        except NotFoundError:
            pass
        self._cofio.create_memories(memories=[draft])

    def _delete(self, places: list[Place]) -> None:
        for place in places:
            kept = self._find(place)
            if kept is None:
                continue
            try:
                self._cofio.delete_memory(kept.memory["id"])
            except NotFoundError:
                # Somebody else was faster.
                continue

    def _refresh(self, wanted: bool, read: list[_Kept]) -> None:
        """Lets what was read live on as long as it was given at first."""
        for kept in read if wanted else []:
            if kept.ttl is None:
                continue
            try:
                self._cofio.update_memory(kept.memory["id"], ttl_seconds=_seconds(kept.ttl))
            except NotFoundError:
                # It ended just now.
                continue


def _texts(value: dict[str, Any], paths: list[str]) -> list[str]:
    """Returns the texts by which an item is found."""
    texts: list[str] = []
    for path in paths:
        texts += _lines(value) if path == "$" else get_text_at_path(value, path)
    return [text for text in texts if text.strip()]


def _lines(value: dict[str, Any]) -> list[str]:
    """Returns a value as a person would write it down, a line for each field."""
    plain = (str, int, float)
    return [
        f"{name}: {part if isinstance(part, plain) else json.dumps(part, ensure_ascii=False)}"
        for name, part in value.items()
    ]


def _seconds(minutes: float) -> int:
    return max(1, math.ceil(minutes * 60))
