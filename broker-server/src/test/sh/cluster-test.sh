#!/usr/bin/env bash
# Tests bin/cluster.sh: its own ports and environment, a first node that cannot start, nodes of other clusters, and a
# node that continues alone. bin/test.sh runs it.
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

# Waits until status shows a ready node; prints its last output. A node that has just started may be overloaded.
ready_status() {
  local output deadline=$((SECONDS + 60))
  until output="$("$script" status 2>&1)" && [[ "$output" == *'readiness: ready'* ]]; do
    [ "$SECONDS" -lt "$deadline" ] || break
    sleep 0.2
  done
  printf '%s' "$output"
}

occupy() { # the MQTT port of node 1
  rm -f "$folder/occupant" # else the loop would see what an earlier occupant printed
  python3 -c 'import socket, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("0.0.0.0", 11883)); s.listen(); print("listening", flush=True); time.sleep(300)' >"$folder/occupant" &
  occupant=$!
  until grep -qs listening "$folder/occupant"; do
    kill -0 "$occupant" 2>/dev/null || { fail 'port 11883 is in use'; exit 1; }
    sleep 0.1
  done
}

release() {
  kill "$occupant"
  wait "$occupant" 2>/dev/null
  occupant=
}

occupy

# The second attempt finds the directory that the first one made; node 2 must not be started either time.
for attempt in first second; do
  if output="$("$script" start 2 2>&1)"; then
    fail "the $attempt start succeeded although the port of node 1 is in use"
  fi
  [[ "$output" == *'node 1 did not start'* ]] || fail "the $attempt start does not name node 1: $output"
  [ ! -d "$FJORDMQ_CLUSTER_DIR/node2" ] || fail "the $attempt start created node 2"
done

release
output="$("$script" start 1 2>&1)" || fail "node 1 does not start on a free port: $output"

# A node of an existing cluster that does not start is an error of the operator, not of the script.
output="$("$script" stop 2>&1)" || fail "node 1 does not stop: $output"
occupy
if output="$("$script" start 1 2>&1)"; then fail 'node 1 started although its port is in use'; fi
[[ "$output" != *'please report it'* ]] || fail "a node that does not start is reported as a bug: $output"
release

# The playground shares neither ports nor the environment with a node that bin/standalone.sh starts, and does not look for it.
output="$("$script" start 2 2>&1)" || fail "the nodes do not start: $output"
output="$(ready_status)"
[[ "$output" == *'env Playground'* ]] || fail "the environment is not Playground: $output"
for port in $(sed -n 's/^ *port: *\([0-9][0-9]*\).*/\1/p' conf/standalone.yml); do
  ! grep -qw "$port" "$FJORDMQ_CLUSTER_DIR"/node?/node.yml || fail "a node uses port $port of conf/standalone.yml"
done

# A node whose only other node is gone continues alone, but not while the other one answers.
one=(-c "$FJORDMQ_CLUSTER_DIR/node1/node.yml" -d "$FJORDMQ_CLUSTER_DIR/node1")
gone="$(sed -n 's/^node //p' "$FJORDMQ_CLUSTER_DIR/node2/data/node.id")"
output="$("$script" stop 1 2>&1)" || fail "node 1 does not stop: $output"
if output="$(bin/standalone.sh start --alone "${one[@]}" 2>&1)"; then fail "node 1 continues alone although node 2 runs: $output"; fi
output="$("$script" kill 2 2>&1)" || fail "node 2 cannot be killed: $output"
rm -rf "$FJORDMQ_CLUSTER_DIR/node2"
output="$(bin/standalone.sh start --alone "${one[@]}" 2>&1)" || fail "node 1 does not start alone: $output"
output="$("$script" remove-node "$gone" 2>&1)" || fail "the node that is gone cannot be removed: $output"
output="$("$script" stop 2>&1)" || fail "node 1 does not stop: $output"
output="$("$script" start 1 2>&1)" || fail "node 1 does not start without its former cluster: $output"
output="$(ready_status)"
[[ "$output" == *'readiness: ready'* && "$output" != *"$gone"* ]] || fail "node 1 is not alone and ready: $output"

# A node of another cluster is not deleted.
mkdir -p "$FJORDMQ_CLUSTER_DIR/node2/data"
printf 'node x\ncluster another\n' >"$FJORDMQ_CLUSTER_DIR/node2/data/node.id"
if output="$("$script" remove 2>&1)"; then fail 'a node of another cluster was removed'; fi
[[ "$output" == *'belongs to cluster another'* ]] || fail "remove does not name the other cluster: $output"
[ -e "$FJORDMQ_CLUSTER_DIR/node2/data/node.id" ] || fail 'the data of another cluster are gone'
rm -rf "$FJORDMQ_CLUSTER_DIR/node2"
output="$("$script" remove 2>&1)" || fail "the cluster cannot be removed: $output"
[ ! -d "$FJORDMQ_CLUSTER_DIR" ] || fail 'remove left something behind'

[ "$failures" -eq 0 ] || exit 1
echo 'cluster.sh passed'
