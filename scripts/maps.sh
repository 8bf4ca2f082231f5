#!/usr/bin/env bash
# Draws the maps of a paper's figures: `maps.sh PAPER FOLDER`, after `netloom reproduce PAPER -o FOLDER` has written
# FOLDER/maps.html. Writes a picture for each figure to docs/pictures/PAPER-<figure>.png. Needs Node, npm and Chromium.
#
# Separate from pictures.sh, since runs of all cells of a paper take long.
set -euo pipefail
paper=${1:?a paper} page=$(realpath "${2:?a folder that netloom reproduce -o has written}")/maps.html
cd "$(dirname "$0")/.."
[ -d "papers/$paper" ] || { echo "maps: there is no paper $paper" >&2; exit 1; }
[ -f "$page" ] || { echo "maps: there is no $page; netloom reproduce $paper -o FOLDER writes one" >&2; exit 1; }
why=$(scripts/packages.sh web) || { echo "maps: $why" >&2; exit 1; }
browser=$(command -v chromium || command -v chromium-browser) || { echo "maps: chromium is not installed" >&2; exit 1; }
mkdir -p docs/pictures
cd web
node tests/picture.mjs "$browser" "$page" all "../docs/pictures/$paper-"
