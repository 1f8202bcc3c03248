#!/usr/bin/env python3
"""Writes the software bill of materials of a Go binary to stdout: CycloneDX 1.5, JSON (https://cyclonedx.org/docs/1.5/json/).

    sbom.py BINARY

The modules and versions are the ones that the linker recorded in the binary (`go version -m`).
"""
import json, subprocess, sys

if len(sys.argv) != 2:
    sys.exit(__doc__)
lines = subprocess.run(["go", "version", "-m", sys.argv[1]], check=True, capture_output=True, text=True).stdout.splitlines()
compiler = lines[0].rsplit(" ", 1)[1]
components = [{"type": "library", "name": "std", "version": compiler, "purl": f"pkg:golang/std@{compiler[2:]}"}]
for line in lines[1:]:
    fields = line.split("\t")[1:]
    if fields[0] == "dep":
        name, version = fields[1:3]
        components.append({"type": "library", "name": name, "version": version, "purl": f"pkg:golang/{name}@{version}"})
json.dump({
    "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
    "metadata": {"component": {"type": "application", "name": "racecard"}},
    "components": components,
}, sys.stdout, indent=1)
print()
