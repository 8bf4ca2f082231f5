#!/usr/bin/env bash
# `packages.sh FOLDER`: fetches what a folder needs of npm, by its lock file, once. Says why not and fails if it cannot.
set -euo pipefail
folder=${1:?a folder}
for tool in node npm; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed; apt-get install nodejs npm"; exit 1; }
done
cd "$folder"
# npm writes this copy of the lock file last; as long as ours is no newer, what lies there is what it asks for.
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2 || {
        echo "the packages of $folder/ cannot be fetched; npm ci in $folder/, with a network"
        exit 1
    }
fi
