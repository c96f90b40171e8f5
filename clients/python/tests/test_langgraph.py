"""LangGraph's store, compared with LangGraph's own and used by a graph."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from typing import Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from cofio import ApiError, Cofio
from cofio.langgraph import CofioStore
from cofio.langgraph_items import Place, meets

LABELS = ["a", "ab", "b", "a b", "a%2E", "ä/%", "*x", "\n"]
KEYS = ["one", "two", "a.b/c%", "", "\u200b", "日本"]

FILTERS: list[dict[str, Any] | None] = [
    None,
    {"colour": "red"},
    {"size": {"$gt": 1}},
    {"size": {"$gte": 1, "$lt": 3}, "colour": {"$ne": "green"}},
    {"size": {"$eq": 2}},
    {"more": None},
    {"more": []},
    {"more": {"deep": "x"}},
]


class Chance:
    """Makes up operations, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        # Few places, near one another, so that operations meet.
        first, second = self.random.sample(LABELS[:4], k=2)
        other = self.random.choice(LABELS)
        self.namespaces = [
            (first,),
            (second,),
            (first, second),
            (first, other),
            (other, first, second),
        ]
        self.keys = self.random.sample(KEYS, k=2)

    def batches(self) -> list[list[Op]]:
        return [
            [self.operation() for _ in range(self.random.randint(1, 6))]
            for _ in range(self.random.randint(1, 8))
        ]

    def operation(self) -> Op:
        make = [self.get, self.put, self.put, self.put, self.delete, self.search, self.list]
        return self.random.choice(make)()

    def get(self) -> Op:
        return GetOp(*self.place())

    def put(self) -> Op:
        value = {"size": self.random.randint(0, 3), "colour": self.random.choice(["red", "green"])}
        if self.random.random() < 0.6:
            value["more"] = self.value(0)
        return PutOp(*self.place(), value)

    def delete(self) -> Op:
        return PutOp(*self.place(), None)

    def search(self) -> Op:
        namespace = self.random.choice(self.namespaces)
        prefix = namespace[: self.random.randint(0, len(namespace))]
        return SearchOp(prefix, self.random.choice(FILTERS), limit=1000)

    def list(self) -> Op:
        conditions = tuple(
            MatchCondition(
                self.random.choice(["prefix", "suffix"]),
                self.path(),
            )
            for _ in range(self.random.randint(0, 2))
        )
        depth = self.random.choice([None, 1, 2, 3])
        return ListNamespacesOp(
            conditions or None, depth, self.random.randint(0, 9), self.random.randint(0, 2)
        )

    def place(self) -> tuple[tuple[str, ...], str]:
        return self.random.choice(self.namespaces), self.random.choice(self.keys)

    def path(self) -> tuple[str, ...]:
        """Returns a part of a namespace, in which any label may stand for all."""
        namespace = self.random.choice(self.namespaces)
        part = namespace[self.random.choice([0, -1]) :] if self.random.random() < 0.5 else namespace
        return tuple("*" if self.random.random() < 0.3 else label for label in part)

    def value(self, depth: int) -> Any:
        plain: list[Any] = [
            None,
            True,
            0,
            -(2**53),
            1.5,
            "",
            "x",
            "line\nline",
            "\u0000",
            "ключ 🗝",
            [],
            {},
        ]
        if depth < 3 and self.random.random() < 0.5:
            inner = self.value(depth + 1)
            return self.random.choice([[inner, inner], {"deep": inner, "": None}])
        return self.random.choice(plain)


@pytest.fixture
def store(cofio: Cofio) -> CofioStore:
    return fresh(cofio)


def fresh(cofio: Cofio) -> CofioStore:
    """Returns an empty store."""
    return CofioStore(cofio, layer="project", identifiers={"projectId": f"t-{uuid.uuid4()}"})


def shown(result: Any) -> Any:
    """Returns a result without times, and without an order that no store promises."""
    if isinstance(result, Item):
        return (result.namespace, result.key, result.value)
    if isinstance(result, list) and result and isinstance(result[0], Item):
        return sorted((shown(item) for item in result), key=repr)
    return result


def without_empty_namespaces(store: InMemoryStore) -> None:
    """Drops what LangGraph's own store goes on listing after everything in it was deleted."""
    for namespace in [name for name, items in store._data.items() if not items]:
        del store._data[namespace]


@pytest.mark.parametrize("seed", range(30))
def test_any_sequence_of_operations_does_what_it_does_in_langgraphs_own_store(
    cofio: Cofio, seed: int
) -> None:
    ours, theirs = fresh(cofio), InMemoryStore()
    for batch in Chance(seed).batches():
        without_empty_namespaces(theirs)
        expected = theirs.batch([op for op in batch if not isinstance(op, ListNamespacesOp)])
        answered = ours.batch([op for op in batch if not isinstance(op, ListNamespacesOp)])
        assert [shown(one) for one in answered] == [shown(one) for one in expected]
        without_empty_namespaces(theirs)
        for op in batch:
            if isinstance(op, ListNamespacesOp):
                assert ours.batch([op]) == theirs.batch([op])


def test_pages_of_a_search_hold_every_item_once(store: CofioStore) -> None:
    for number in range(9):
        store.put(("docs", str(number % 2)), f"key {number}", {"number": number})
    found = [
        item.value["number"]
        for offset in range(0, 12, 4)
        for item in store.search(("docs",), limit=4, offset=offset)
    ]
    assert sorted(found) == list(range(9))


def test_a_query_finds_what_it_is_about(store: CofioStore) -> None:
    store.put(("memories",), "tea", {"text": "The user drinks green tea", "kind": "drink"})
    store.put(("memories",), "ferry", {"text": "The ferry sails at nine", "kind": "travel"})
    store.put(("memories",), "hidden tea", {"text": "tea that is not found"}, index=False)
    store.put(("elsewhere",), "tea", {"text": "tea of others"})

    found = store.search(("memories",), query="which tea?")
    assert [item.key for item in found][:1] == ["tea"]
    assert "hidden tea" not in [item.key for item in found]
    assert all(item.namespace == ("memories",) for item in found)
    assert found[0].score is not None
    none = store.search(("memories",), query="which tea?", filter={"kind": "travel"})
    assert "tea" not in [item.key for item in none]


def test_only_the_fields_that_are_named_are_found_by(store: CofioStore) -> None:
    value = {"title": "harbour", "body": [{"text": "lighthouse"}, {"text": "pier"}], "note": "crab"}
    store.put(("docs",), "one", value, index=["title", "body[*].text"])
    assert [item.key for item in store.search(("docs",), query="lighthouse")] == ["one"]
    assert store.search(("docs",), query="crab") == []
    item = store.get(("docs",), "one")
    assert item is not None
    assert item.value == value


def test_an_item_keeps_when_it_was_made_and_notes_when_it_was_changed(store: CofioStore) -> None:
    store.put(("docs",), "one", {"size": 1})
    before = store.get(("docs",), "one")
    store.put(("docs",), "one", {"size": 2})
    after = store.get(("docs",), "one")
    assert before is not None
    assert after is not None
    assert after.created_at == before.created_at == before.updated_at
    assert after.updated_at > before.updated_at
    assert after.value == {"size": 2}


def test_an_item_ends_when_its_time_is_over(cofio: Cofio, store: CofioStore) -> None:
    store.put(("docs",), "short", {"size": 1}, ttl=1 / 60)
    store.put(("docs",), "long", {"size": 1}, ttl=1 / 60)
    store.put(("docs",), "long", {"size": 2}, ttl=None)
    time.sleep(1.5)
    assert store.get(("docs",), "short") is None
    item = store.get(("docs",), "long")
    assert item is not None
    assert item.value == {"size": 2}
    store.put(("docs",), "short", {"size": 3})
    assert store.get(("docs",), "short") is not None


def test_reading_an_item_lets_it_live_on(cofio: Cofio, store: CofioStore) -> None:
    def end() -> str:
        (memory,) = cofio.list_memories(
            project_id=store._identifiers["projectId"], layer=["project"], key_prefix="langgraph."
        )["memories"]
        return memory["expiresAt"] or ""

    store.put(("docs",), "one", {"size": 1}, ttl=5)
    first = end()
    store.get(("docs",), "one", refresh_ttl=False)
    assert end() == first
    store.get(("docs",), "one")
    second = end()
    assert second > first
    store.search(("docs",))
    assert end() > second


def test_a_secret_is_not_kept_and_a_password_is_refused(store: CofioStore) -> None:
    store.put(("docs",), "key", {"note": "use AKIAIOSFODNN7EXAMPLE for it"})
    item = store.get(("docs",), "key")
    assert item is not None
    assert "AKIA" not in str(item.value)
    with pytest.raises(ApiError) as caught:
        store.put(("docs",), "login", {"password": "hunter2-Blue7Xy"})
    assert caught.value.details["reason"] == "credential"
    assert store.get(("docs",), "login") is None


def test_many_write_the_same_item_and_one_of_them_stays(store: CofioStore) -> None:
    async def race() -> None:
        numbers = list(range(12))
        random.shuffle(numbers)
        puts = (store.aput(("docs",), "one", {"number": number}) for number in numbers)
        await asyncio.gather(*puts)

    asyncio.run(race())
    assert len(store.search(("docs",))) == 1


class State(TypedDict):
    """What the graph passes on."""

    user: str
    said: str
    recalled: list[str]


def remember(state: State, *, store: BaseStore) -> dict[str, Any]:
    store.put(("memories", state["user"]), str(uuid.uuid4()), {"text": state["said"]})
    return {}


def recall(state: State, *, store: BaseStore) -> dict[str, Any]:
    found = store.search(("memories", state["user"]), query=state["said"], limit=3)
    return {"recalled": [item.value["text"] for item in found]}


async def remember_later(state: State, *, store: BaseStore) -> dict[str, Any]:
    await store.aput(("memories", state["user"]), str(uuid.uuid4()), {"text": state["said"]})
    return {}


def test_a_graph_remembers_and_recalls(store: CofioStore) -> None:
    builder = StateGraph(State)
    builder.add_node("recall", recall)
    builder.add_node("remember", remember)
    builder.add_edge(START, "recall")
    builder.add_edge("recall", "remember")
    builder.add_edge("remember", END)
    graph = builder.compile(store=store)

    def say(user: str, said: str) -> list[str]:
        recalled: list[str] = graph.invoke({"user": user, "said": said, "recalled": []})["recalled"]
        return recalled

    assert say("ann", "My bees live behind the barn") == []
    assert say("ann", "Where are the bees?") == ["My bees live behind the barn"]
    assert say("bob", "Where are the bees?") == []


def test_a_graph_that_awaits_does_the_same(store: CofioStore) -> None:
    builder = StateGraph(State)
    builder.add_node("remember", remember_later)
    builder.add_edge(START, "remember")
    builder.add_edge("remember", END)
    graph = builder.compile(store=store)
    asyncio.run(graph.ainvoke({"user": "ann", "said": "tea", "recalled": []}))
    (item,) = store.search(("memories", "ann"))
    assert item.value == {"text": "tea"}


def test_every_place_has_a_key_of_its_own() -> None:
    texts = ["a", "a.", "a/", "a%", "a%2E", "a%2F", "a%25", ".", "/", "%", "\n", "%0A", "a/b"]
    places = [Place((label,), key) for label in texts for key in texts]
    places += [Place(("a", "b"), "c"), Place(("a",), "b./c"), Place(("a.b",), "c")]
    assert len({place.context_key() for place in places}) == len(places)


@pytest.mark.parametrize("sign", ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"])
def test_a_comparison_is_that_of_langgraphs_own_store(sign: str) -> None:
    theirs = InMemoryStore()
    for size in range(4):
        theirs.put(("docs",), str(size), {"size": size})
    for bound in range(4):
        wanted = {"size": {sign: bound}}
        expected = {item.value["size"] for item in theirs.search(("docs",), filter=wanted)}
        assert {size for size in range(4) if meets({"size": size}, wanted)} == expected


def test_what_has_no_order_meets_no_comparison() -> None:
    assert meets({"name": "b"}, {"name": {"$gt": "a"}})
    values: list[dict[str, Any]] = [{}, {"size": None}, {"size": "2"}, {"size": [2]}]
    for value in values:
        assert not meets(value, {"size": {"$gt": 1}})
    with pytest.raises(ValueError, match="unknown operator"):
        meets({"size": 1}, {"size": {"$near": 1}})
