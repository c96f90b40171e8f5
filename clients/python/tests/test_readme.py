"""What the README shows is what happens."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")

EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize(("code", "expected"), EXAMPLES)
def test_an_example_prints_what_it_says(url: str, code: str, expected: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code.replace("http://127.0.0.1:7717", url), {})
    assert printed.getvalue() == expected


def test_every_example_says_what_it_prints() -> None:
    assert len(EXAMPLES) == README.count("```python") > 0
