"""Tests run against a real server, whose address the variable COFIO_TEST_URL names."""

from __future__ import annotations

import os
import uuid
from typing import TYPE_CHECKING

import pytest

from cofio import Cofio

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def url() -> str:
    found = os.environ.get("COFIO_TEST_URL")
    assert found, "COFIO_TEST_URL names the server to test with, as `cofio serve` says it"
    return found


@pytest.fixture
def cofio(url: str) -> Iterator[Cofio]:
    with Cofio(url) as client:
        yield client


@pytest.fixture
def project() -> str:
    """Names a project that no other test has."""
    return f"test-{uuid.uuid4()}"
