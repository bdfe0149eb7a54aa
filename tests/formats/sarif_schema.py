"""What SARIF 2.1.0 says of the objects that our logs have: members, their types, which are required.

A table of our own, for the check must not depend on the network. A member that the table does not name is an error, also where OASIS's schema has
it: who writes a new one looks it up there and adds a row. $STREAMCHECK_SARIF_SCHEMA=FILE names OASIS's own schema, which then is checked as well;
`test_sound.py` compares the two. (It is OASIS's and not part of the sources.)
"""
import functools
import json
import os

TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
URI = {"type": "string", "pattern": r"^[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*$"}


def ref(name):
    return {"$ref": "#/definitions/" + name}


def listed(item, least=0, unique=False):
    return {"type": "array", "items": item, "minItems": least, "uniqueItems": unique}


def words(*allowed):
    return {"enum": list(allowed)}


def at_least(least):
    return {"type": "integer", "minimum": least}


def mapped(value):
    return {"type": "object", "additionalProperties": value}


def object_of(*required, **members):
    return {"type": "object", "required": list(required), "properties": members, "additionalProperties": False}


LEVEL = words("none", "note", "warning", "error")
# A bag may have any members; these are ours, so that a wrong one is seen.
BAG = object_of(
    tags=listed(TEXT, unique=True), number=at_least(1), cause=at_least(1), group=at_least(1), severity=words("error", "warning", "advice"),
    confidence=words("proven", "likely", "possible"), causes=listed(TEXT), decidedBy=TEXT, text=TEXT, processes=at_least(1),
    ranks={"type": ["string", "null"]}, processIds=listed(NUMBER, 1),
    firstProcess=object_of("processId", "commandLine", processId=NUMBER, rank=at_least(0), commandLine=TEXT))
DEFINITIONS = {
    "propertyBag": BAG,
    "message": object_of("text", text=TEXT),
    "multiformatMessageString": object_of("text", text=TEXT, markdown=TEXT),
    "artifactLocation": object_of("uri", uri=URI, uriBaseId=TEXT),
    "region": object_of("startLine", startLine=at_least(1), startColumn=at_least(1)),
    "physicalLocation": object_of("artifactLocation", artifactLocation=ref("artifactLocation"), region=ref("region")),
    "logicalLocation": object_of(fullyQualifiedName=TEXT, kind=TEXT),
    "location": object_of(id=at_least(-1), physicalLocation=ref("physicalLocation"), logicalLocations=listed(ref("logicalLocation"), unique=True),
                          message=ref("message")),
    "stackFrame": object_of(location=ref("location"), module=TEXT, threadId=NUMBER),
    "stack": object_of("frames", message=ref("message"), frames=listed(ref("stackFrame"))),
    "threadFlowLocation": object_of(location=ref("location"), importance=words("important", "essential", "unimportant")),
    "threadFlow": object_of("locations", id=TEXT, message=ref("message"), locations=listed(ref("threadFlowLocation"), 1)),
    "codeFlow": object_of("threadFlows", threadFlows=listed(ref("threadFlow"), 1)),
    "suppression": object_of("kind", kind=words("inSource", "external"), justification=TEXT),
    "result": object_of(
        "message", ruleId=TEXT, ruleIndex=at_least(-1), level=LEVEL, message=ref("message"), locations=listed(ref("location")),
        relatedLocations=listed(ref("location"), unique=True), codeFlows=listed(ref("codeFlow")), stacks=listed(ref("stack"), unique=True),
        occurrenceCount=at_least(1), partialFingerprints=mapped(TEXT), suppressions=listed(ref("suppression"), unique=True),
        baselineState=words("new", "unchanged", "updated", "absent"), properties=ref("propertyBag")),
    "notification": object_of("message", message=ref("message"), level=LEVEL),
    "invocation": object_of("executionSuccessful", executionSuccessful=FLAG, commandLine=TEXT, processId=NUMBER, exitCode=NUMBER,
                            toolExecutionNotifications=listed(ref("notification")), properties=ref("propertyBag")),
    "reportingConfiguration": object_of(level=LEVEL),
    "reportingDescriptor": object_of(
        "id", id=TEXT, name=TEXT, shortDescription=ref("multiformatMessageString"), fullDescription=ref("multiformatMessageString"),
        help=ref("multiformatMessageString"), defaultConfiguration=ref("reportingConfiguration"), properties=ref("propertyBag")),
    "toolComponent": object_of("name", name=TEXT, semanticVersion=TEXT, rules=listed(ref("reportingDescriptor"), unique=True)),
    "tool": object_of("driver", driver=ref("toolComponent")),
    "run": object_of("tool", tool=ref("tool"), invocations=listed(ref("invocation")), originalUriBaseIds=mapped(ref("artifactLocation")),
                     results=listed(ref("result"))),
}
LOG = {**object_of("version", "runs", **{"$schema": URI, "version": words("2.1.0"), "runs": listed(ref("run"), 1)}), "definitions": DEFINITIONS}


@functools.lru_cache(maxsize=None)
def official():
    """OASIS's own, or None."""
    path = os.environ.get("STREAMCHECK_SARIF_SCHEMA")
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def all_schemas():
    return [LOG, *([official()] if official() else [])]
