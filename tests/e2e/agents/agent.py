"""A scripted agent: it checks a program, has the findings repaired, and checks it again."""
import json
import re


def reasons(plan, said):
    """Why findings are left, or edits are not written."""
    left = [f"finding {l['finding']}, {l['rule']}: {l['why']}; {l['fix']}" for l in plan["left"]]
    return left + re.findall(r"edit \d+ is not in this patch: [^\n]*", said)


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
        said = said if is_error else json.loads(said)["diff"]
        if "--hosts=strict" in said and "hosts=strict" not in options:
            return await repair(tools, build, program, rebuild, [*options, "hosts=strict"])
        return False, "; ".join(reasons(plan, said)) or f"without a reason: {said}"
    rebuild()
    second = await tools.ask("check", command=program, device="sim", options=list(options))
    left = {key: second["counts"][key] for key in ("error", "warning")}
    return second["complete"] and not any(left.values()), f"{left}, complete: {second['complete']}"
