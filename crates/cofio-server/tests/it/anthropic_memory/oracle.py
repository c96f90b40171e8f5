"""Runs commands on the memory tool of Anthropic's own library, one JSON object per line.

A line that is null begins anew. A folder that lost its last file is removed, as a folder without
files is not kept by Cofio.
"""

import json
import os
import sys
import tempfile

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool


def prune(root):
    for folder, _, _ in os.walk(root, topdown=False):
        if folder != root and not os.listdir(folder):
            os.rmdir(folder)


def answer(tool, command):
    try:
        return {"answer": tool.call(command)}
    except ToolError as error:
        return {"error": str(error)}
    except Exception as error:
        return {"failure": repr(error)}


folder = tool = None
for line in sys.stdin:
    command = json.loads(line)
    if command is None:
        folder = tempfile.TemporaryDirectory()
        tool = BetaLocalFilesystemMemoryTool(folder.name)
        continue
    print(json.dumps(answer(tool, command)), flush=True)
    prune(os.path.join(folder.name, "memories"))
