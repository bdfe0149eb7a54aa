"""The bill of materials of what is built: an SPDX 2.3 document of the components that components.json lists.

A component's version is that of the carried library's file, of its header as the compiler reads it, or of its package; where none
of these is there, it is not asserted.
"""
import glob
import hashlib
import json
import os
import re
import subprocess

UNKNOWN = "NOASSERTION"


def version_of_file(component, tree):
    """libz.so.1.2.13, libdw-0.188.so: the number in the name of the file that a link refers to."""
    for stem in component.get("carried", ()):
        for path in glob.glob(os.path.join(tree, "lib", "streamcheck", stem + "[.-]*")):
            found = re.search(r"-([\d.]+)\.so$|\.so\.(\d+\.[\d.]+)$", os.path.basename(os.path.realpath(path)))
            if found:
                return found[1] or found[2]
    return None


def version_of_macros(component, compiler):
    """Macros of the compiler, or of a header, joined."""
    if "macros" not in component:
        return None
    header = ["-include", component["header"]] if "header" in component else []
    done = subprocess.run([compiler, "-E", "-dM", *header, "-x", "c", os.devnull], capture_output=True, text=True,
                          check=False)
    defined = dict(re.findall(r"^#define (\w+) (.+)$", done.stdout, re.M))
    numbers = [defined.get(name) for name in component["macros"]]
    return None if done.returncode or None in numbers else ".".join(numbers)


def version_of_package(component, folder):
    try:
        with open(os.path.join(folder, component.get("package", "")), encoding="utf-8") as file:
            return json.load(file)["version"]
    except (OSError, ValueError, KeyError):
        return None


def components(path, tree, compiler, d3_folder):
    """The rows of the file, each with its `version`, or None."""
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)
    for row in rows:
        row["version"] = version_of_file(row, tree) or version_of_macros(row, compiler) or \
            version_of_package(row, d3_folder)
    return rows


def package(identifier, name, version, licence, url):
    return {"SPDXID": identifier, "name": name, "versionInfo": version or UNKNOWN, "supplier": UNKNOWN,
            "downloadLocation": UNKNOWN, **({"homepage": url} if url else {}), "filesAnalyzed": False,
            "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": UNKNOWN}


def document(version, rows, created, content):
    """The document; `content` makes its name unique."""
    own = "SPDXRef-streamcheck"
    ids = {row["name"]: "SPDXRef-" + row["name"] for row in rows}
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"streamcheck-{version}",
            "documentNamespace": "https://spdx.org/spdxdocs/streamcheck-" + hashlib.sha256(content.encode()).hexdigest(),
            "creationInfo": {"created": created, "creators": [f"Tool: streamcheck-{version}"]},
            "packages": [package(own, "streamcheck", version, "Apache-2.0", None),
                         *(package(ids[r["name"]], r["name"], r["version"], r["licence"], r["url"]) for r in rows)],
            "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                               "relatedSpdxElement": own},
                              *({"spdxElementId": own, "relationshipType": "CONTAINS", "relatedSpdxElement": i}
                                for i in ids.values())]}
