#!/usr/bin/env bash
# Builds a release into a folder: one archive per platform with a static, stripped binary, README and LICENSE; SHA256SUMS;
# and racecard.cdx.json, the software bill of materials (CycloneDX). The same commit and Go version give the same binaries.
set -euo pipefail
out=$(mkdir -p "${1:-dist}" && cd "${1:-dist}" && pwd)
cd "$(dirname "$0")/../../.."
version=$(go run . version | awk '{print $2}' | sed 's/+.*//')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for platform in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
  os=${platform%/*} arch=${platform#*/}
  name=racecard_${version}_${os}_${arch}
  mkdir "$work/$name"
  binary=racecard
  [ "$os" = windows ] && binary=racecard.exe
  CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -ldflags '-s -w -buildid=' -o "$work/$name/$binary" .
  cp README.md LICENSE "$work/$name"
  # A fixed order, owner and time, so that equal contents give equal archives.
  tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - "$name" | gzip -n9 >"$out/$name.tar.gz"
  echo "$out/$name.tar.gz"
done
python3 pipeline/internal/local/sbom.py "$work/racecard_${version}_linux_amd64/racecard" >"$out/racecard.cdx.json"
(cd "$out" && sha256sum racecard_* racecard.cdx.json >SHA256SUMS)
