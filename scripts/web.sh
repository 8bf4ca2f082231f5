#!/usr/bin/env bash
# The page of the report: `web.sh build` builds the template from web/; `web.sh check` checks that the stored template equals
# a new build byte for byte, and tests its contents in a browser.
#
# The packages of web/ are fetched once, by the lock file, into web/node_modules.
set -euo pipefail
template=crates/report/template/report.html
verb=${1:?build or check}

if ! why=$(scripts/packages.sh web); then
    if [ "$verb" = build ]; then echo "web: $why" >&2; exit 1; fi
    exec scripts/skip.sh "report template and browser" "${why%%; *}" "${why#*; }"
fi
cd web
npm run --silent check
if [ "$verb" = build ]; then
    npm run --silent build
    exit
fi

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
npm run --silent build -- --outDir "$place" --logLevel warn
cmp "$place/report.html" "../$template" || { echo "$template differs from what web/ builds: make web" >&2; exit 1; }
echo "report template: equals a new build"
npm run --silent colours
npm run --silent units

cd ..
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    exec scripts/skip.sh "report in a browser" "chromium is not installed" "apt-get install chromium"
fi
# Built with the features of the whole workspace, as in the tests: with those of one package most would be compiled again.
cargo build --locked --quiet --workspace --bin netloom
netloom() { "${CARGO_TARGET_DIR:-target}/debug/netloom" "$@"; }
hostile='</script><img src=x onerror=globalThis.hostile=1>'
for policy in ecmp adaptive; do
    netloom run scenarios/demo/heavy-x2.yaml --set balance=$policy -o "$place/$policy" --quiet
done
netloom run scenarios/faults/down_and_up.yaml --set "jobs.0.name='$hostile'" -o "$place/$(echo "$hostile" | tr / _)" --quiet
netloom run scenarios/fabrics/custom.yaml -o "$place/custom" --quiet
for name in nic_sr themis; do
    netloom run scenarios/rdma/$name.yaml --set record.rates=20us --set 'record.rates_from=[leaf0.host0]' \
        -o "$place/$name" --quiet
done
netloom run scenarios/rdma/lossless.yaml -o "$place/lossless" --quiet
netloom run scenarios/flows/staged.yaml -o "$place/over_time" --quiet
netloom run scenarios/flows/staged.yaml --set record.rates=none -o "$place/by_stage" --quiet
for policy in adaptive_spectrum ecmp; do
    netloom run scenarios/policies/adaptive_spectrum.yaml --set balance=$policy -o "$place/order_$policy" --quiet
done
for name in c2_5_dr c2_5_ar; do netloom run scenarios/infiniband/$name.yaml -o "$place/$name" --quiet; done
for name in one_class two_classes; do netloom run scenarios/classes/$name.yaml -o "$place/$name" --quiet; done
sizes='[{ring_all_reduce: {size: 64KiB}}, {ring_all_reduce: {size: 1MiB}}, {ring_all_gather: {size: 64KiB}}, {ring_all_gather: {size: 1MiB}}]'
for policy in ecmp spray; do
    netloom run scenarios/collectives/ring_all_reduce.yaml --set "jobs.0.phases=$sizes" --set balance=$policy \
        -o "$place/sizes_$policy" --quiet
done
netloom sweep scenarios/rdma/nic_sr.yaml --vary congestion.dcqcn.increase_time=55us,300us,900us \
    --vary balance=ecmp,spray -o "$place/sweep" >/dev/null
for hosts in 4 8; do
    netloom sweep scenarios/interference/incast.yaml --set interference.hosts=$hosts --set interference.steps=12 \
        --vary 'interference.aggressor=none,{incast: {size: 512KiB}}' --vary queues.credits.order=fifo,voq \
        --vary interference.victim.ring_all_gather.size=8KiB,512KiB -o "$place/beside_$hosts" >/dev/null
done
# Maps of a paper: some published numbers are used as results of runs, the others count as not run.
version=$(netloom --version)
awk -F, -v head="{\"paper\": \"congestion-fabrics\", \"version\": \"${version##* }\", \"runs\": [" '
    BEGIN { print head }
    $1 ~ /^cresco8_(64|256)_(ag|a2a)_(alone|a2a)_[0-9]+$|^cresco8_64_ag_inc_bursts_10ms_/ {
        printf "%s{\"run\": \"%s\", \"seed\": 1, \"broken_laws\": [], \"hops\": 1, \"wall_time_s\": 1, \"values\": {}, ", n++ ? "," : "", $1
        printf "\"parts\": {\"%s\": {\"measured_mean\": %s}}}\n", $2, $3
    }
    END { print "]}" }' papers/congestion-fabrics/published.csv >"$place/report.json"
netloom reproduce congestion-fabrics --runs "$place" -o "$place/maps" --quiet
mv "$place/maps/maps.html" "$place/maps.html"
# The same cells, compared with a machine that takes a fifth longer with aggressors.
mkdir "$place/tables"
awk -F, '
    BEGIN { print "system,nodes,victim,aggressor,bytes,baseline_us,congested_us,ratio"; long["ag"] = "all_gather"; long["a2a"] = "all_to_all" }
    $1 ~ /^cresco8_(64|256)_(ag|a2a)_(alone|a2a)_[0-9]+$/ {
        split($1, part, "_")
        cell = part[2] "," long[part[3]] ",all_to_all," part[5]
        if (part[4] == "alone") alone[cell] = $3; else beside[cell] = 1.2 * $3
    }
    END { for (cell in beside) if (cell in alone)
        printf "cresco8,%s,%.6f,%.6f,%.3f\n", cell, alone[cell], beside[cell], alone[cell] / beside[cell] }
' papers/congestion-fabrics/published.csv >"$place/tables/measured_steady.csv"
netloom import crab "$place/tables" -o "$place/machine" --beside "$place/maps" >/dev/null 2>"$place/import.notes" || { cat "$place/import.notes"; exit 1; }
mv "$place/machine.html" "$place/machines.html"
# A simulated study marked as measured, compared with itself. Its manifests carry no digest of themselves then, as those of
# older versions: a wrong one is refused.
cp -r "$place/beside_4" "$place/collected"
find "$place/collected" -name manifest.json -exec node -e '
    const { readFileSync, writeFileSync } = require("node:fs");
    for (const path of process.argv.slice(1)) {
        const { manifest_digest, ...manifest } = JSON.parse(readFileSync(path, "utf8"));
        const measured = { by: "netloom-field", source: "a simulation", facts: { clock: "made up" } };
        writeFileSync(path, JSON.stringify({ measured, ...manifest }));
    }' {} +
netloom report "$place/beside_4" "$place/collected" -o "$place/measured.html" >/dev/null
netloom report "$place/ecmp" "$place/adaptive" --why -o "$place/demo.html" >/dev/null
netloom report "$place/<"* "$place/custom" -o "$place/hostile.html" >/dev/null
netloom report "$place/nic_sr" "$place/themis" "$place/lossless" -o "$place/rdma.html" >/dev/null
netloom report "$place/over_time" "$place/by_stage" "$place/ecmp" -o "$place/flows.html" >/dev/null
netloom report "$place/c2_5_dr" "$place/c2_5_ar" "$place/ecmp" -o "$place/congestion.html" >/dev/null
netloom report "$place/one_class" "$place/two_classes" -o "$place/traffic.html" >/dev/null
netloom report "$place/sizes_ecmp" "$place/sizes_spray" -o "$place/sizes.html" >/dev/null
netloom report "$place/order_adaptive_spectrum" "$place/order_ecmp" -o "$place/reordering.html" >/dev/null
netloom report "$place/beside_4" "$place/beside_8" -o "$place/interference.html" >/dev/null
netloom report "$place"/sweep/points/*/*/* -o "$place/sweep.html" >/dev/null
# A search without run folders: the rate of hosts from which on steps take longer, for two numbers of hosts.
netloom sweep web/tests/threshold.yaml --vary fabric.single_switch.host_rate=400Gbps..50Gbps \
    --vary fabric.single_switch.hosts=4,8 --bisect 5% --keep summary --quiet -o "$place/search"
netloom report "$place/search" -o "$place/study.html" >/dev/null
(cd web && npm run --silent browser -- "$browser" "$place/demo.html" "$place/hostile.html" \
    "$place/rdma.html" "$place/sweep.html" "$place/flows.html" "$place/congestion.html" "$place/traffic.html" \
    "$place/sizes.html" "$place/reordering.html" "$place/interference.html" "$place/maps.html" \
    "$place/machines.html" "$place/measured.html" "$place/study.html" ${PICTURES:+--pictures "$PICTURES"})

# A long run for the live view; it is ended after the checks.
node web/tests/live.mjs "$browser" "${CARGO_TARGET_DIR:-target}/debug/netloom" "$place/live" \
    scenarios/demo/heavy-x2.yaml --set jobs.0.steps=2000 ${PICTURES:+--picture "$PICTURES/live.png"}

# The explorer shows the values in the tables of a run, and a large run opens quickly.
netloom run scenarios/faults/flap.yaml --set 'background={poisson: {load: 5%, sizes: alistorage, end: 2ms}}' \
    --set record.slowest_flows=5 -o "$place/explored" --quiet
netloom export csv "$place/explored" -o "$place/csv" >/dev/null
netloom report "$place/explored" -o "$place/explored.html" >/dev/null
# Several runs in one report: intervals of different lengths, so that a position of the slider is in one of the first run and
# in several of the second; no samples; an end in the middle of a step (exit code 3). Ranks fill more than a page.
mkdir "$place/several"
beside() {
    netloom run scenarios/faults/flap.yaml --set fabric.leaf_spine.hosts_per_leaf=20 --set jobs.0.steps=4 \
        --set record.timeline=2 "${@:2}" -o "$place/several/$1" --quiet 2>"$place/said" || [ $? = 3 ] || { cat "$place/said" >&2; exit 1; }
    netloom export csv "$place/several/$1" -o "$place/several/$1.csv" >/dev/null
}
beside coarse --set record.series=1ms
beside fine --set record.series=2us --set jobs.0.steps=1 --set 'jobs.0.phases.1.ring_all_reduce.size=64KiB'
beside silent --set record.series=none
beside cut --set record.series=100us --set deadline=3.3333ms
netloom report "$place"/several/{coarse,fine,silent,cut} -o "$place/several.html" >/dev/null
netloom run web/tests/large.yaml -o "$place/large" --quiet
netloom report "$place/large" -o "$place/large.html" >/dev/null
cd web
npm run --silent study -- "$browser" "$place/study.html"
npm run --silent chain -- "$browser" "$place/demo.html"
npm run --silent explorer -- "$browser" "$place/explored.html" "$place/csv"
npm run --silent several -- "$browser" "$place/several.html" "$place/several"
npm run --silent large -- "$browser" "$place/large.html"
