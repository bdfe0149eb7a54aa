"""The server for agents, started as a user does, and the official client: a session for each test."""
import asyncio
import contextlib
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PACKAGES = os.path.join(ROOT, "out", "mcp")
sys.path.insert(0, PACKAGES)
try:
    from mcp import Client, StdioServerParameters
except ImportError as error:
    print(f"SKIPPED, NOTHING WAS CHECKED: the package mcp is not in out/mcp: tools/setup.sh tests ({error})")
    sys.exit(77)


def package(prefix, folder):
    """The package as the wheel has it, with an installed tree; what is to be in PYTHONPATH."""
    own = os.path.join(folder, "package", "streamcheck")
    os.makedirs(own)
    source = os.path.join(ROOT, "packaging", "python", "streamcheck")
    for name in os.listdir(source):
        os.symlink(os.path.join(source, name), os.path.join(own, name))
    os.remove(os.path.join(own, "__init__.py"))
    with open(os.path.join(own, "__init__.py"), "w", encoding="utf-8") as file:
        file.write('__version__ = "test"\n')
    os.symlink(os.path.abspath(prefix), os.path.join(own, "tree"))
    return os.path.dirname(own)


class Session:
    """Calls of tools: what they answer, and whether it is an error."""

    def __init__(self, client):
        self.client, self.progress = client, []

    async def call(self, tool, **arguments):
        async def heard(done, total, _):
            self.progress.append((done, total))
        result = await self.client.call_tool(tool, arguments, progress_callback=heard)
        return result.is_error, "".join(part.text for part in result.content)

    async def ask(self, tool, **arguments):
        """The answer as data; an error is one of the test."""
        is_error, said = await self.call(tool, **arguments)
        assert not is_error, said
        return json.loads(said)


@contextlib.asynccontextmanager
async def session(prefix, workspace, folder):
    paths = os.pathsep.join([package(prefix, folder), PACKAGES, os.path.join(ROOT, "out", "patch")])
    env = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "STREAMCHECK_SIM_SCHEDULE": "lazy"}
    # By -c: `-m` would take a package of the workspace, which is the current folder.
    server = StdioServerParameters(command=sys.executable, args=["-P", "-m", "streamcheck", "mcp"], env=env, cwd=workspace)
    async with Client(server) as client:
        yield Session(client)


def run(work):
    return asyncio.run(work)
