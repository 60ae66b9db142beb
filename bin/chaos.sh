#!/usr/bin/env bash
# Tests a cluster under faults: bin/chaos.sh [SECONDS [SEED [KIND[,KIND...]]]]
#
# Starts three nodes, each in its own network namespace, and clients that record what was acknowledged and what arrived. At the
# end every acknowledged message must have arrived at every persistent session, in order, QoS 2 exactly once, and at every other
# subscription from its SUBACK to the end of its connection.
# Default: 60 seconds of faults, a new seed, all kinds:
#   Killed        kill -9, then start
#   PowerCut      kill -9, and every write that was not synced is lost
#   PowerCutAll   the same on all nodes at once
#   Restarted     stop, then start
#   Rolled        drain, stop, then start
#   RollingRestart  all nodes one after another, drained or not; in runs below 300 s only if it is named
#   Frozen        the process is stopped for a while (SIGSTOP)
#   Unplugged     no packet reaches or leaves the node for a while
#   HalfCut       packets from one node to another are lost for a while
#   PairCut       packets between two nodes are lost for a while
#   ClockJump     the wall clocks of one or all nodes are seconds to two days ahead or behind for a while
#   DiskFull      the node's disk is full for a while
#   DiskSlow      the node's disk stalls for up to 3 s at a time
#   TwoAtOnce     DiskFull, DiskSlow, HalfCut, PairCut or ClockJump, and meanwhile Killed, PowerCut, Restarted, Rolled, Frozen
#                 or Unplugged, on the same node or another
# Environment:
#   CHAOS_NODES=5        number of nodes, 3 or 5 (default 3)
#   CHAOS_ROUTES=500000  number of subscriptions held by clients with 9,000 filters each (default 100)
#   CHAOS_PRELOAD=LIB    nodes run with LD_PRELOAD=LIB. With libeatmydata.so nothing is synced: PowerCutAll must report a loss
#   KEEP=yes             keep data and history
# Exit status: 0 nothing broken, 1 a promise was broken, 2 the run failed, 77 network namespaces are not available here.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

case "${1:-}" in -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;; esac
seconds="${1:-60}"
seed="${2:-$(date +%s)}"
kind="${3:-all}"
case "$seconds$seed" in *[!0-9]*) echo "chaos.sh: SECONDS and SEED are numbers" >&2; exit 2 ;; esac
nodes="${CHAOS_NODES:-3}"
case "$nodes" in 3 | 5) ;; *) echo "chaos.sh: CHAOS_NODES must be 3 or 5: $nodes" >&2; exit 2 ;; esac
for tool in ip unshare nsenter; do
  command -v "$tool" >/dev/null || { echo "chaos.sh: '$tool' is not installed; not run" >&2; exit 77; }
done
unshare -n ip link add probe type bridge 2>/dev/null || { echo "chaos.sh: no right to make network namespaces; not run" >&2; exit 77; }
# Mounts are seen by this run alone and go with it.
[ -n "${CHAOS_MOUNTS:-}" ] || CHAOS_MOUNTS=own exec unshare -m "$0" "$@"

mvn -B -q test-compile dependency:build-classpath -pl broker-server -am -Dmdep.outputFile=target/test-classpath.txt || exit 2
classpath="$PWD/broker-server/target/test-classes:$PWD/broker-server/target/classes:$(cat broker-server/target/test-classpath.txt)"
folder="$(mktemp -d)"
routes="${CHAOS_ROUTES:-100}"
case "$routes" in *[!0-9]* | "" | 0) echo "chaos.sh: CHAOS_ROUTES must be a number above 0: $routes" >&2; exit 2 ;; esac
heap=(-Xmx512m -XX:+UseSerialGC)
[ "$nodes" -eq 3 ] || heap=(-Xmx320m -XX:+UseSerialGC)
# With 1 GB and the serial collector, collections of half a million routes outlast a lease.
[ "$routes" -le 100000 ] || heap=(-Xmx3g -XX:+UseG1GC)
node=(java -Xms64m "${heap[@]}" -XX:TieredStopAtLevel=1 -Dcom.google.protobuf.use_unsafe_pre22_gencode=true
  --enable-native-access=ALL-UNNAMED -cp "$classpath")

# Each node's data directory is a file system of its own. The process that stalls a disk lives outside of the process namespace of
# the run and knows the duration in advance: neither the end of the run nor a process waiting for the disk leaves it stalled.
# The mounts are shared with the mount namespace of the run, which mounts a disk again after a power cut.
disks() {
  local number disk
  mount --bind "$folder" "$folder" && mount --make-shared "$folder" || return 1
  for ((number = 1; number <= nodes; number++)); do
    disk="$folder/node$number/data"
    mkdir -p "$disk" && truncate -s 4G "$folder/disk$number" && mkfs.ext4 -q -m 0 -E nodiscard "$folder/disk$number" &&
      mount -o loop "$folder/disk$number" "$disk" && fsfreeze -f "$disk" && fsfreeze -u "$disk" || return 1
  done
  mkfifo "$folder/stalls"
  setsid bash -c 'while read -r disk seconds; do fsfreeze -f "$disk" && sleep "$seconds"; fsfreeze -u "$disk"; done' \
    <"$folder/stalls" 2>/dev/null &
  exec 4>"$folder/stalls"
}

# FS_IOC_SHUTDOWN with FS_SHUTDOWN_FLAGS_NOLOGFLUSH: ext4 writes nothing any more, not even its journal.
power_cuts() {
  local probe="$folder/power-cut-probe.py"
  cat >"$probe" <<'PYTHON'
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack("I", 2))
PYTHON
  python3 "$probe" "$folder/node1/data" && umount "$folder/node1/data" &&
    mount -o loop "$folder/disk1" "$folder/node1/data" && mv "$probe" "$folder/power-cut.py"
}

if ! disks 2>"$folder/disks.log"; then
  echo "chaos: no file systems can be made here (see $folder/disks.log): no DiskFull, DiskSlow, PowerCut, PowerCutAll"
elif ! power_cuts 2>>"$folder/disks.log"; then
  echo "chaos: python3 is missing or file systems cannot be shut down (see $folder/disks.log): no PowerCut, PowerCutAll"
fi

case ",$kind," in
  *,all,* | *,ClockJump,* | *,TwoAtOnce,*)
    for CHAOS_FAKETIME in /usr/lib/*/faketime/libfaketimeMT.so.1; do :; done
    if [ -e "$CHAOS_FAKETIME" ]; then
      export CHAOS_FAKETIME
    else
      unset CHAOS_FAKETIME
      echo "chaos: libfaketime is not installed (package libfaketime): no ClockJump"
    fi
    ;;
esac

code=0
unshare -n -p -f --mount-proc --propagation unchanged --kill-child bash -c 'ip link set lo up && exec "$@"' chaos java -Xmx1g -XX:+UseSerialGC -cp "$classpath" \
  io.fjordmq.broker.chaos.Chaos "$folder" "$PWD" "$seconds" "$seed" "$kind" "$nodes" "${node[@]}" 4>&- || code=$?
exec 4>&-
wait
umount "$folder"/node*/data "$folder" 2>/dev/null
if [ "$code" -eq 0 ] && [ "${KEEP:-no}" != yes ]; then
  rm -rf "$folder"
else
  echo "chaos: data, logs and history are in $folder"
fi
exit "$code"
