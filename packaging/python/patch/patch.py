"""Patch: the edits of a plan in the sources."""
from typing import Any

import cpp_edits
import files
import names
import plan as plans
import python_edits


def write(plan: plans.Plan, sources: files.Sources) -> str:
    """The unified diff, after a line for each edit that it has not; the sources have the changes then."""
    writers: dict[bool, Any] = {True: python_edits.Writer(sources, plan.devices), False: cpp_edits.Writer(sources, plan.devices)}
    out = []
    for number, edit in enumerate(plan.edits, 1):
        place = edit.then or edit.first
        try:
            if not place:
                raise names.Refused("its line is not known")
            writers[place.anchor.file.endswith(".py")].write(edit)
        except names.Refused as refused:
            out.append(f"# edit {number} is not in this patch: {refused}\n")
    for writer in writers.values():
        writer.finish()
    out += [files.diff(file, sources.roots[0] if sources.roots else "/") for file in sources.changed()]
    return "".join(out)
