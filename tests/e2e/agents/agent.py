"""A scripted agent: it checks a program, has the findings repaired, and checks it again."""


async def repair(tools, build, program, rebuild, options=()):
    """Whether a program that had an error has none in the end, and what was said on the way. `rebuild` builds the workspace."""
    rebuild()
    first = await tools.ask("check", command=program, device="sim", options=list(options))
    if not first["counts"]["error"]:
        return False, "there was no error"
    for found in first["findings"]:
        await tools.ask("finding", run=first["run"], number=found["number"])
    plan = await tools.ask("repair", run=first["run"])
    is_error, said = await tools.call("patch", run=first["run"], build=build, apply=True)
    if is_error or '"applied": true' not in said:
        return False, f"{len(plan['edits'])} edits, {len(plan['left'])} findings left: {said}"
    rebuild()
    second = await tools.ask("check", command=program, device="sim", options=list(options))
    left = {key: second["counts"][key] for key in ("error", "warning")}
    return second["complete"] and not any(left.values()), f"{left}, complete: {second['complete']}"
