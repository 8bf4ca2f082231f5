#!/usr/bin/env bash
# Redraws the pictures of the documentation from runs of their scenarios: `pictures.sh`. Needs Node, npm, Chromium and the
# requirements of `field testbed` and of the MPI program.
set -euo pipefail
cd "$(dirname "$0")/.."
why=$(scripts/packages.sh web) || { echo "pictures: $why" >&2; exit 1; }
browser=$(command -v chromium || command -v chromium-browser) || { echo "pictures: chromium is not installed" >&2; exit 1; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
# Built with the features of the whole workspace, as in the tests: with those of one package most would be compiled again.
cargo build --locked --quiet --workspace --bin netloom
netloom() { "${CARGO_TARGET_DIR:-target}/debug/netloom" "$@"; }
# picture REPORT PANEL NAME [TITLE]: draws the panel, or its figure whose title begins with TITLE.
picture() { (cd web && node tests/picture.mjs "$browser" "$1" "$2" "../docs/pictures/$3.png" "${4:-}"); }
mkdir -p docs/pictures

# view STUDY NAME ADDRESS [HEIGHT]: draws the view of a study's report at an address.
view() { (cd web && node tests/view.mjs "$browser" "$place/$1.html" "$3" "../docs/pictures/explorer-$1-$2.png" "${4:-1300}"); }

# The demonstration: its answer, and what steps and messages waited for.
netloom demo -o "$place/demo" >/dev/null
picture "$place/demo/report.html" answer demo-answer
picture "$place/demo/report.html" chain demo-chain
picture "$place/demo/report.html" causes demo-messages "ecmp: what"

# The tour of the explorer: each view of three studies.
for policy in ecmp adaptive; do
    netloom run scenarios/demo/heavy-x2.yaml --set balance=$policy --set record.slowest_flows=20 \
        --set record.series=1ms -o "$place/heavy-runs/$policy" --quiet
    netloom run scenarios/faults/flap.yaml --set balance=$policy -o "$place/flapping-runs/$policy" --quiet
done
netloom run scenarios/infiniband/c2_5_dr.yaml -o "$place/unfair-runs/DR" --quiet
netloom run scenarios/infiniband/c2_5_ar.yaml -o "$place/unfair-runs/AR" --quiet
netloom report "$place/heavy-runs/ecmp" "$place/heavy-runs/adaptive" -o "$place/heavy.html" >/dev/null
netloom report "$place/flapping-runs/ecmp" "$place/flapping-runs/adaptive" -o "$place/flapping.html" >/dev/null
netloom report "$place/unfair-runs/DR" "$place/unfair-runs/AR" -o "$place/unfair.html" >/dev/null
for study in heavy flapping unfair; do
    view $study study study
    view $study settings settings 900
done
view heavy fabric 'fabric?run=0,1&show=backlog&at=33&port=leaf1 → spine1' 2000
view heavy jobs jobs 1500
view heavy flows flows 2200
view flapping fabric 'fabric?run=0,1&show=drops&at=28'
view flapping jobs jobs 1200
view flapping flows flows
view unfair fabric 'fabric?run=0,1&show=paused&at=60'
view unfair jobs jobs
view unfair flows flows

# The congestion tree: scenarios 1, 2 and 5 of configuration 2, each at one time; and the growth of the first one.
tree() {
    number=$1
    shift
    for run in "$@"; do
        netloom run "scenarios/infiniband/${run#*=}.yaml" --set record.congestion.interval=none \
            -o "$place/$number/${run%%=*}" --quiet
    done
    netloom report "$place/$number/DR" "$place/$number/AR" -o "$place/$number.html" >/dev/null
    picture "$place/$number.html" congestion "congestion-tree-$number"
}
tree 1 DR=c2 AR=c2_1_ar
tree 2 DR=c2_2_dr AR=c2_2_ar
tree 5 DR=c2_5_dr AR=c2_5_ar
netloom run scenarios/infiniband/c2_1_ar.yaml -o "$place/growing" --quiet
netloom report "$place/growing" -o "$place/growing.html" >/dev/null
picture "$place/growing.html" congestion congestion-tree-grows

# Storage beside training: in one class and in two.
for name in one_class two_classes; do
    netloom run scenarios/classes/$name.yaml -o "$place/$name" --quiet
done
netloom report "$place/one_class" "$place/two_classes" -o "$place/classes.html" >/dev/null
picture "$place/classes.html" traffic classes-one-and-two

# A link that flaps in the middle of a training job, under each policy.
netloom sweep scenarios/faults/flap.yaml --vary balance=ecmp,flowlet,spray,adaptive,adaptive_spectrum \
    -o "$place/flap" >/dev/null
netloom report "$place"/flap/points/flap/*/* -o "$place/flap.html" >/dev/null
picture "$place/flap.html" steps flapping-link

# Three causes of interference, varied one at a time: papers/congestion-fabrics/ablations.md has the complete commands.
beside() {
    name=$1
    shift
    netloom sweep "$@" --set 'interference.steps={precision: 5%, at_least: 100, at_most: 1000}' \
        --set interference.warm_up=20 --set 'record={messages: summed}' \
        --set 'interference.victim={ring_all_gather: {size: 2MiB}}' \
        --vary interference.victim.ring_all_gather.size=512B,32KiB,2MiB --quiet -o "$place/$name"
}
allocated=fabrics/allocations/lumi-64b.yaml
incast='interference.aggressor=none,{incast: {size: 2MiB}}'
beside control $allocated --vary congestion=none,slingshot --vary "$incast"
eight=$(for switch in {0..28..4}; do for host in {0..7}; do printf 'group0.switch%d.host%d, ' "$switch" "$host"; done; done)
beside one4 fabrics/lumi.yaml --set 'name=one group at 4 switches' --set interference.hosts=64 --set congestion=none \
    --vary "$incast"
beside one8 fabrics/lumi.yaml --set 'name=one group at 8 switches' --set "interference.hosts=[${eight%, }]" \
    --set congestion=none --vary "$incast"
beside three $allocated --set 'name=three groups at 7 switches' --set congestion=none --vary "$incast"
beside random fabrics/lumi.yaml --set name=random --set interference.hosts=64 --set interference.groups=random \
    --set congestion=none --vary "$incast" --seeds 6
beside load $allocated --set congestion=none --set interference.sizes=per_peer --vary hosts.injection_to_many=none,63Gbps \
    --vary 'interference.aggressor=none,{all_to_all_linear: {size: 2MiB, posting: same}}'
netloom report "$place/control" -o "$place/control.html" >/dev/null
netloom report "$place/one4" "$place/one8" "$place/three" "$place/random" -o "$place/placement.html" >/dev/null
netloom report "$place/load" -o "$place/load.html" >/dev/null
for cause in control placement load; do
    picture "$place/$cause.html" interference "interference-$cause" "Ratio by size"
done

# Figures for papers: utilization under three policies, and throughput while a link is down.
for policy in ecmp spray adaptive; do
    netloom run scenarios/policies/$policy.yaml -o "$place/policies/$policy" --quiet
    netloom run scenarios/faults/down_and_up.yaml --set balance=$policy -o "$place/down/$policy" --quiet
done
figure() {
    netloom figures "$place/$1/ecmp" "$place/$1/spray" "$place/$1/adaptive" -o "$place/figures/$1" --format png --dpi 177 >/dev/null
    cp "$place/figures/$1/$2.png" "docs/pictures/figure-$2.png"
}
figure policies links
figure down throughput

# The threshold of a search.
netloom sweep docs/concepts/oversubscription-512-study.yaml --quiet -o "$place/search"
netloom figures "$place/search" -o "$place/figures/search" --format png --dpi 177 >/dev/null
cp "$place/figures/search/threshold.png" docs/pictures/figure-threshold.png

# The same study measured in a testbed and simulated; its pictures differ from run to run.
mkdir "$place/testbed"
sed 's/ 10 100.*/ 1 5/' field/example.txt > "$place/testbed/plan.txt"
netloom field testbed scenarios/field/leaf_spine.yaml --rate 50Mbps --quiet -o "$place/testbed/measured" -- \
    mpiexec.openmpi -n 8 "${CARGO_TARGET_DIR:-target}/field/openmpi/netloom-field" "$place/testbed/plan.txt" \
    --out "$place/testbed/times" < /dev/null
netloom run scenarios/field/leaf_spine.yaml -o "$place/testbed/simulated" --quiet
netloom report "$place/testbed/measured" "$place/testbed/simulated" -o "$place/testbed.html" >/dev/null
(cd web && node tests/view.mjs "$browser" "$place/testbed.html" 'fabric?run=0,1&show=backlog' \
    ../docs/pictures/testbed-fabric.png 1300)

# A live view of a run; its pictures differ from run to run.
node web/tests/live.mjs "$browser" "${CARGO_TARGET_DIR:-target}/debug/netloom" "$place/live" \
    scenarios/demo/heavy-x2.yaml --set jobs.0.steps=2000 --picture docs/pictures/live.png

# A study measured across a testbed and simulated, if namespaces and MPI are available; its pictures differ from run to run.
scripts/field_study.sh "$place/study"
[ ! -e "$place/study/report.html" ] || picture "$place/study/report.html" measured measured-study
