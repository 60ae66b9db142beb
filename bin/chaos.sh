#!/usr/bin/env bash
# Usage: bin/chaos.sh [SECONDS [SEED [KIND[,KIND]...]]]
#
# Tests a cluster under injected faults. The script starts three nodes, each in its own network namespace, and clients
# that record which messages were acknowledged and which arrived. At the end, every persistent session must have
# received every acknowledged message in order, and exactly once with QoS 2. Every other subscription must have received
# all messages from its SUBACK to the end of its connection.
#
#   SECONDS          duration of the faults (default: 60)
#   SEED             seed of the sequence of faults (default: a new one for each run)
#   KIND             kinds of faults to inject (default: all)
#
# Kinds of faults:
#   Killed           kill -9, then start
#   PowerCut         kill -9, with the loss of all writes that were not synced
#   PowerCutAll      PowerCut on all nodes at the same time
#   Restarted        stop, then start
#   Rolled           drain, stop, then start
#   VersionChanged   drain or kill a node, then start it with its other version; only with CHAOS_FROM
#   RollingRestart   restart one node after another, with or without drain; in runs under 300 s only if KIND names it
#   Frozen           the process is paused for a while (SIGSTOP)
#   Unplugged        no packet reaches or leaves the node for a while
#   HalfCut          packets from one node to another are lost for a while
#   PairCut          packets between two nodes are lost in both directions for a while
#   ClockJump        the wall clock of one node or of all nodes is seconds to two days ahead or behind for a while
#   DiskFull         the disk of the node is full for a while
#   DiskSlow         the disk of the node stalls repeatedly, for up to 3 s at a time
#   TwoAtOnce        DiskFull, DiskSlow, HalfCut, PairCut or ClockJump; during that fault, one of Killed, PowerCut,
#                    Restarted, Rolled, Frozen and Unplugged on the same node or another
#   ThreeAtOnce      DiskFull and DiskSlow on one node or two; during both faults, Killed or PowerCut on any node
#   TwoDown          two of five nodes are down for a while: both are killed together, or one after the other
#
# Options:
#   -h, --help       print this help
#   --version        print the version
#
# Environment:
#   CHAOS_NODES      number of nodes, 3 or 5 (default: 3)
#   CHAOS_ROUTES     number of subscriptions held by clients with 9,000 filters each (default: 100)
#   CHAOS_FROM       directory with the jars of an older version that all nodes start with. In the first half of the run,
#                    a node changes its version before each fault, and at least one node stays older. Meanwhile, an
#                    additional node of the newer version and then one of the older version join with empty data
#                    directories, and are decommissioned. Then all are upgraded, and the second half begins when the
#                    cluster level has been raised
#   CHAOS_PRELOAD    library that the nodes load with LD_PRELOAD. With libeatmydata.so, nothing is synced, so
#                    PowerCutAll must report lost messages
#   KEEP=yes         keep data and history
#
# Requires ip, unshare, nsenter and permission to create network namespaces. Disk and power faults also require
# permission to mount file systems. PowerCut and PowerCutAll also require python3, and ClockJump requires libfaketime.
# Faults whose requirements are not met are skipped.
#
# Examples:
#   bin/chaos.sh
#   bin/chaos.sh 60 1 PowerCut,PowerCutAll
#   CHAOS_NODES=5 bin/chaos.sh 3600
#   CHAOS_FROM=/opt/fjordmq-0.1.0/lib/broker bin/chaos.sh 300
#
# Exit codes:
#   0    every guarantee was kept
#   1    a guarantee was broken
#   2    invalid usage, or the run failed
#   77   not run, because this host does not allow network namespaces or a tool is missing
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
handle_help_and_version "$@"
cd "$HOME_DIR" || exit 2

seconds="${1:-60}"
seed="${2:-$(date +%s)}"
kind="${3:-all}"
case "$seconds$seed" in *[!0-9]*) fail "SECONDS and SEED must be whole numbers, not '$seconds' and '$seed'; see --help" ;; esac
nodes="${CHAOS_NODES:-3}"
case "$nodes" in 3 | 5) ;; *) fail "CHAOS_NODES must be 3 or 5, not '$nodes'" ;; esac
for tool in ip unshare nsenter; do
  command -v "$tool" >/dev/null || fail "not run: '$tool' is not installed or not in PATH" 77
done
unshare -n ip link add probe type bridge 2>/dev/null || fail "not run: no permission to create network namespaces" 77
# The mounts are visible to this run only and disappear with it.
[ -n "${CHAOS_MOUNTS:-}" ] || CHAOS_MOUNTS=own exec unshare -m "$SCRIPT_FILE" "$@"

mvn -B -q test-compile dependency:build-classpath -pl broker-server -am -Dmdep.outputFile=target/test-classpath.txt || exit 2
classpath="$PWD/broker-server/target/test-classes:$PWD/broker-server/target/classes:$(cat broker-server/target/test-classpath.txt)"
folder="$(mktemp -d)"
routes="${CHAOS_ROUTES:-100}"
case "$routes" in *[!0-9]* | "" | 0) fail "CHAOS_ROUTES must be a whole number above 0, not '$routes'" ;; esac
heap=(-Xmx512m -XX:+UseSerialGC)
[ "$nodes" -eq 3 ] || heap=(-Xmx320m -XX:+UseSerialGC)
# With 1 GB and the serial collector, collections of half a million routes outlast a lease.
# Five nodes with 3 GB each may not fit, and each of them holds fewer of the sessions.
[ "$routes" -le 100000 ] || heap=("-Xmx$((nodes == 3 ? 3072 : 2560))m" -XX:+UseG1GC)
node=(java -Xms64m "${heap[@]}" -XX:TieredStopAtLevel=1 -Dcom.google.protobuf.use_unsafe_pre22_gencode=true
  --enable-native-access=ALL-UNNAMED -cp "$classpath")

# Every data directory is a separate file system. The process that stalls a disk runs outside the PID namespace of the
# run and knows the duration in advance, so a disk does not stay stalled when the run ends or when a process is
# blocked on the disk. The mounts are shared with the mount namespace of the run, which remounts a disk after a power
# cut.
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

# FS_IOC_SHUTDOWN with FS_SHUTDOWN_FLAGS_NOLOGFLUSH: ext4 stops all writes, including those of its journal.
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
  echo "chaos: skipping DiskFull, DiskSlow, PowerCut and PowerCutAll: cannot create file systems here; see $folder/disks.log"
elif ! power_cuts 2>>"$folder/disks.log"; then
  echo "chaos: skipping PowerCut and PowerCutAll: python3 is missing or file systems cannot be shut down; see $folder/disks.log"
fi

case ",$kind," in
  *,all,* | *,ClockJump,* | *,TwoAtOnce,*)
    for CHAOS_FAKETIME in /usr/lib/*/faketime/libfaketimeMT.so.1; do :; done
    if [ -e "$CHAOS_FAKETIME" ]; then
      export CHAOS_FAKETIME
    else
      unset CHAOS_FAKETIME
      echo "chaos: skipping ClockJump: libfaketime is not installed (package libfaketime)"
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
  echo "chaos: data, logs and history: $folder"
fi
exit "$code"
