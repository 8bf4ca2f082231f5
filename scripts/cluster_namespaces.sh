#!/usr/bin/env bash
# A sweep on a cluster of two machines: the client with the scheduler, and a worker on each machine, are in three network
# namespaces joined by a bridge. One worker is killed during the sweep. The digests are compared with those of a sweep in
# this process. Missing requirements are reported as SKIPPED.
#
# It needs a Python with the package and `distributed`: PYTHON=... scripts/cluster_namespaces.sh
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-${CARGO_TARGET_DIR:-$PWD/target}/python/bin/python}"

skip() { exec scripts/skip.sh "${@:3}" "a sweep across namespaces" "$1" "$2"; }

# Everything is below one process with its own namespaces of mounts, networks and processes: nothing is left when it ends.
if [ "${1:-}" != inside ]; then
    command -v ip >/dev/null || skip "ip is not installed" "apt-get install iproute2"
    command -v unshare >/dev/null || skip "unshare is not installed" "apt-get install util-linux"
    "$python" -c 'import netloom, distributed' 2>/dev/null ||
        skip "$python has no netloom or no distributed" "scripts/python.sh check, or PYTHON=..."
    user=()
    [ "$(id -u)" = 0 ] || user=(-U -r)
    private=(unshare "${user[@]}" --mount --net --pid --fork --kill-child)
    "${private[@]}" sh -c 'mount -t tmpfs tmpfs /run && ip link add v0 type veth peer name v1' 2>/dev/null ||
        skip "namespaces or veth are not permitted" "root or user namespaces" --forbidden
    exec timeout --kill-after=5 "${LIMIT_S:-120}" "${private[@]}" "$PWD/scripts/cluster_namespaces.sh" inside
fi

mount --make-rprivate /
mount -t proc proc /proc
mount -t tmpfs tmpfs /run
export TMPDIR=/run HOME=/run
ip link set lo up
ip link add bridge type bridge
ip address add 10.65.0.1/24 dev bridge
ip link set bridge up
for machine in 1 2; do
    ip netns add "machine$machine"
    ip link add "port$machine" type veth peer name eth0 netns "machine$machine"
    ip link set "port$machine" master bridge up
    ip -n "machine$machine" address add "10.65.0.1$machine/24" dev eth0
    ip -n "machine$machine" link set eth0 up
    ip -n "machine$machine" link set lo up
done
"$python" -m distributed.cli.dask_scheduler --host 10.65.0.1 --port 8786 --no-dashboard >/run/scheduler.log 2>&1 &
for machine in 1 2; do
    ip netns exec "machine$machine" "$python" -m distributed.cli.dask_worker tcp://10.65.0.1:8786 --nthreads 1 \
        --name "machine$machine" --no-nanny --no-dashboard --death-timeout 60 >"/run/machine$machine.log" 2>&1 &
    echo $! >"/run/machine$machine.pid"
    disown
done
"$python" scripts/cluster_namespaces.py tcp://10.65.0.1:8786 /run/machine2.pid 2>/run/client.log || {
    tail -n 20 /run/*.log >&2
    exit 1
}
