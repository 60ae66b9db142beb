#!/usr/bin/env bash
# Tests bin/cluster.sh when the first node cannot start. bin/test.sh runs it.
set -uo pipefail
cd "$(dirname "$0")/../../../.." || exit 2
script=bin/cluster.sh
folder="$(mktemp -d)"
export FJORDMQ_CLUSTER_DIR="$folder/cluster"
failures=0
occupant=

cleanup() {
  [ -z "$occupant" ] || kill "$occupant" 2>/dev/null
  "$script" remove >/dev/null 2>&1
  rm -rf "$folder"
}
trap cleanup EXIT

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# Occupies the MQTT port of node 1.
python3 -c 'import socket, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("0.0.0.0", 11883)); s.listen(); print("listening", flush=True); time.sleep(300)' >"$folder/occupant" &
occupant=$!
until grep -q listening "$folder/occupant"; do
  kill -0 "$occupant" 2>/dev/null || { fail 'port 11883 is in use'; exit 1; }
  sleep 0.1
done

# The second attempt finds the directory that the first one made; node 2 must not be started either time.
for attempt in first second; do
  if output="$("$script" start 2 2>&1)"; then
    fail "the $attempt start succeeded although the port of node 1 is in use"
  fi
  [[ "$output" == *'node 1 did not start'* ]] || fail "the $attempt start does not name node 1: $output"
  [ ! -d "$FJORDMQ_CLUSTER_DIR/node2" ] || fail "the $attempt start created node 2"
done

kill "$occupant"
wait "$occupant" 2>/dev/null
occupant=
output="$("$script" start 1 2>&1)" || fail "node 1 does not start on a free port: $output"

# A node of another cluster is not deleted.
mkdir -p "$FJORDMQ_CLUSTER_DIR/node2/data"
printf 'node x\ncluster another\n' >"$FJORDMQ_CLUSTER_DIR/node2/data/node.id"
if output="$("$script" remove 2>&1)"; then fail 'a node of another cluster was removed'; fi
[[ "$output" == *'belongs to cluster another'* ]] || fail "remove does not name the other cluster: $output"
[ -e "$FJORDMQ_CLUSTER_DIR/node2/data/node.id" ] || fail 'the data of another cluster are gone'
rm -rf "$FJORDMQ_CLUSTER_DIR/node2"
"$script" remove >/dev/null 2>&1 || fail 'the cluster cannot be removed'
[ ! -d "$FJORDMQ_CLUSTER_DIR" ] || fail 'remove left something behind'

[ "$failures" -eq 0 ] || exit 1
echo 'cluster.sh passed'
