#!/usr/bin/env bash
# Breaks a cluster in every way and checks that it keeps its promises: bin/chaos.sh [SECONDS [SEED [KIND]]]
#
# Three node processes, each in a network namespace of its own; clients that write down what was acknowledged and what arrived;
# nodes killed (-9), restarted, drained and restarted, frozen, unplugged, cut off in one direction or from one other, their disks
# filled or stalled. In the end every message that was acknowledged must have arrived at every subscriber, in order, QoS 2 once.
# Default: 60 seconds of faults, a new seed, all kinds
# (Killed, Restarted, Rolled, Frozen, Unplugged, HalfCut, PairCut, DiskFull, DiskSlow).
# Ends with 0 if so, 1 if not, 2 if the run failed, 77 if this machine lets nobody make network namespaces. KEEP=yes keeps data and history.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

case "${1:-}" in -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
seconds="${1:-60}"
seed="${2:-$(date +%s)}"
kind="${3:-all}"
case "$seconds$seed" in *[!0-9]*) echo "chaos.sh: SECONDS and SEED are numbers" >&2; exit 2 ;; esac
for tool in ip unshare nsenter; do
  command -v "$tool" >/dev/null || { echo "chaos.sh: '$tool' is not installed; not run" >&2; exit 77; }
done
unshare -n ip link add probe type bridge 2>/dev/null || { echo "chaos.sh: no right to make network namespaces; not run" >&2; exit 77; }
# Mounts are seen by this run alone and go with it.
[ -n "${CHAOS_MOUNTS:-}" ] || CHAOS_MOUNTS=own exec unshare -m "$0" "$@"

mvn -B -q test-compile dependency:build-classpath -pl broker-server -am -Dmdep.outputFile=target/test-classpath.txt || exit 2
classpath="$PWD/broker-server/target/test-classes:$PWD/broker-server/target/classes:$(cat broker-server/target/test-classpath.txt)"
folder="$(mktemp -d)"
node=(java -Xms64m -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dcom.google.protobuf.use_unsafe_pre22_gencode=true
  --enable-native-access=ALL-UNNAMED -cp "$classpath")

# Every node's data on a small file system of its own. Who stalls one lives outside of the process namespace of the run, and knows
# beforehand for how long: nothing that ends the run, and no process that waits for a stalled disk, leaves it stalled.
disks() {
  local node disk
  for node in 1 2 3; do
    disk="$folder/node$node/data"
    mkdir -p "$disk" && truncate -s 4G "$folder/disk$node" && mkfs.ext4 -q -m 0 -E nodiscard "$folder/disk$node" &&
      mount -o loop "$folder/disk$node" "$disk" && fsfreeze -f "$disk" && fsfreeze -u "$disk" || return 1
  done
  mkfifo "$folder/stalls"
  setsid bash -c 'while read -r disk seconds; do fsfreeze -f "$disk" && sleep "$seconds"; fsfreeze -u "$disk"; done' \
    <"$folder/stalls" 2>/dev/null &
  exec 4>"$folder/stalls"
}
disks 2>"$folder/disks.log" || echo "chaos: no file systems can be made here (see $folder/disks.log): no DiskFull, no DiskSlow"

code=0
unshare -n -p -f --mount-proc --kill-child bash -c 'ip link set lo up && exec "$@"' chaos java -Xmx512m -XX:+UseSerialGC -cp "$classpath" \
  io.fjordmq.broker.chaos.Chaos "$folder" "$PWD" "$seconds" "$seed" "$kind" "${node[@]}" 4>&- || code=$?
exec 4>&-
wait
umount "$folder"/node*/data 2>/dev/null
if [ "$code" -eq 0 ] && [ "${KEEP:-no}" != yes ]; then
  rm -rf "$folder"
else
  echo "chaos: data, logs and history are in $folder"
fi
exit "$code"
