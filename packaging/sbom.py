#!/usr/bin/env python3
"""Writes what an installed tree consists of, as SPDX 2.3 in JSON.

usage: sbom.py --root FOLDER --files LIST --version VERSION --compiler VERSION --find FOLDER... OUTPUT

LIST has the installed files, one path below FOLDER on each line. Works of others are the rows of components.json:
`carried` libraries are recognized by the names of their files, which have the version; what is `linked` into files of
ours has its version in a file of the build machine, which is looked for in the folders of --find. `inside`: the name
of a carried library has a version that is not the work's, which stands in its bytes. A row without a trace in the tree
is left out. The time is that of SOURCE_DATE_EPOCH, where that is set.
"""
import argparse
import datetime
import hashlib
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OURS = {"licence": "Apache-2.0", "copyright": "Copyright 2026 the authors of streamcheck"}
CARRIED = "lib/streamcheck/"


def digest(path, kind):
    with open(path, "rb") as file:
        return hashlib.new(kind, file.read()).hexdigest()


def spdx_id(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def version_of(row, folders, compiler):
    """Version of what is linked into our files, by the file of the build machine that has it."""
    if row.get("compiler"):
        return compiler
    for folder in folders:
        path = os.path.join(folder, row["file"])
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                numbers = re.findall(row["version"], file.read())
            if numbers:
                return ".".join(numbers)
    sys.exit(f"sbom.py: no version of {row['name']}: {row['file']} is in none of {', '.join(folders)}")


def version_inside(path, pattern):
    with open(path, "rb") as file:
        found = re.search(pattern.encode(), file.read())
    return found[1].decode() if found else sys.exit(f"sbom.py: {path} does not say its version: {pattern}")


def find_component(row, files, options):
    """Version and carried files of a row, or None if the tree has nothing of it."""
    carried, versions = [], []
    for name in files:
        found = name.startswith(CARRIED) and re.fullmatch(row.get("carried", "(?!)"), name[len(CARRIED):])
        if found:
            carried.append(name)
            versions.append(version_inside(os.path.join(options.root, name), row["inside"]) if "inside" in row
                            else found[1])
    linked = [name for name in row.get("linked", []) if name in files]
    if linked:
        return version_of(row, options.find, options.compiler), carried, linked
    return (max(versions, key=len), carried, linked) if carried else None


def for_version(row, version, texts):
    """The row with the licence that this version has; adds the text of one that SPDX has no name for."""
    older = row.get("older")
    if not older or numbers(version) >= numbers(older["than"]):
        return row
    texts.append({"licenseId": older["licence"], "extractedText": older["text"]})
    return {**row, "licence": older["licence"]}


def numbers(version):
    return [int(n) for n in version.split(".")]


def package(name, version, row, **more):
    return {"name": name, "SPDXID": spdx_id("Package", name), "versionInfo": version,
            "downloadLocation": "NOASSERTION", "licenseConcluded": row.get("chosen", row["licence"]),
            "licenseDeclared": row["licence"], "copyrightText": row["copyright"], **more}


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def describe_files(root, files, owners):
    for name in files:
        path, row = os.path.join(root, name), owners.get(name, OURS)
        sums = [{"algorithm": kind, "checksumValue": digest(path, kind.lower())} for kind in ("SHA1", "SHA256")]
        yield {"fileName": "./" + name, "SPDXID": spdx_id("File", name), "checksums": sums,
               "licenseConcluded": row.get("chosen", row["licence"]), "licenseInfoInFiles": ["NOASSERTION"],
               "copyrightText": row["copyright"]}


def created():
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    moment = (datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc) if epoch
              else datetime.datetime.now(datetime.timezone.utc))
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def make(options, files):
    with open(os.path.join(HERE, "components.json"), encoding="utf-8") as file:
        rows = json.load(file)
    packages, relations, owners, texts = [], [], {}, []
    main = spdx_id("Package", "streamcheck")
    for row in rows:
        found = find_component(row, files, options)
        if not found:
            continue
        version, carried, linked = found
        row = for_version(row, version, texts)
        packages.append(package(row["name"], version, row, filesAnalyzed=False, homepage=row["home"]))
        relations.append(relation(main, "CONTAINS", packages[-1]["SPDXID"]))
        relations += [relation(spdx_id("File", name), "GENERATED_FROM", packages[-1]["SPDXID"]) for name in carried]
        relations += [relation(spdx_id("File", name), "STATIC_LINK", packages[-1]["SPDXID"]) for name in linked]
        owners.update({name: row for name in carried})
    for name in files:
        if name.startswith(CARRIED) and "/" not in name[len(CARRIED):] and name not in owners:
            sys.exit(f"sbom.py: {name} is carried, and components.json has no row for it")
    described = list(describe_files(options.root, files, owners))
    sums = "".join(sorted(f["checksums"][0]["checksumValue"] for f in described))
    code = hashlib.sha1(sums.encode()).hexdigest()
    ours = package("streamcheck", options.version, OURS, filesAnalyzed=True,
                   packageVerificationCode={"packageVerificationCodeValue": code},
                   licenseInfoFromFiles=["NOASSERTION"])
    relations.append(relation("SPDXRef-DOCUMENT", "DESCRIBES", main))
    relations += [relation(main, "CONTAINS", f["SPDXID"]) for f in described]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"streamcheck-{options.version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/streamcheck-{options.version}-{code}",
            "creationInfo": {"created": created(), "creators": ["Tool: streamcheck-sbom"]},
            "packages": [ours, *packages], "files": described, "relationships": relations,
            **({"hasExtractedLicensingInfos": texts} if texts else {})}


def main():
    parser = argparse.ArgumentParser()
    for name in ("root", "files", "version", "compiler"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--find", nargs="+", default=[])
    parser.add_argument("output")
    options = parser.parse_args()
    with open(options.files, encoding="utf-8") as file:
        files = sorted(set(file.read().split("\n")) - {""})
    with open(options.output, "w", encoding="utf-8") as file:
        json.dump(make(options, files), file, indent=1, ensure_ascii=False)
        file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
