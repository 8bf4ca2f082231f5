#!/usr/bin/env bash
# `packages.sh FOLDER`: fetches the npm packages of a folder once, by its lock file. Prints the reason if it fails.
set -euo pipefail
folder=${1:?a folder}
for tool in node npm; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed; apt-get install nodejs npm"; exit 1; }
done
cd "$folder"
# npm writes this copy of the lock file last; while the folder's lock file is not newer, its packages are up to date.
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2 || {
        echo "the packages of $folder/ cannot be fetched; npm ci in $folder/, with a network"
        exit 1
    }
fi
