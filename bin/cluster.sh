#!/usr/bin/env bash
# Runs a test cluster on this host: bin/cluster.sh --help
set -Eeuo pipefail
trap 'printf "fjordmq: internal error at line %s of cluster.sh; please report it\n" "$LINENO" >&2' ERR
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$HOME_DIR/bin/memory.sh"

FOLDER="${FJORDMQ_CLUSTER_DIR:-$HOME_DIR/cluster}"
NODE="$HOME_DIR/bin/standalone.sh"

usage() {
  cat <<'HELP'
Usage: bin/cluster.sh COMMAND [ARGUMENT]...

Runs a FjordMQ cluster for testing on this host. N is the number of a node, 1 to 9.

Commands:
  start [COUNT]             start nodes 1 to COUNT (default: 3) that are not running; a COUNT larger than before adds
                            nodes. If a new node 1 cannot start, the other nodes are not started
  stop [N]                  stop node N (default: all nodes)
  kill N                    kill node N with SIGKILL; start brings it back
  status                    show the state of every node, then the nodes and ranges that the first ready node reports
  remove                    stop all nodes and delete their data; refused if a node belongs to a cluster that was not
                            created here

Cluster commands, sent to the first ready node (if none is ready, to the first running node) unless a node is given:
  voters [STORE=COUNT]...   set the number of voters per range of the stores dist, inbox and retain, 1 to 5; without
                            arguments, print the current numbers
  leave N                   decommission node N: move its replicas and clients to other nodes, stop it, and delete its
                            data
  remove-node ID            remove a node that is gone and was not decommissioned; status lists the ids
  split RANGE               split a range in two at the key that halves its recent load or, if it is idle, its size;
                            status lists the ranges
  merge RANGE               merge a range with the range that follows it
  cancel RANGE              cancel a pending merge of the range or a pending change of its replicas; status lists pending
                            changes and says which of them can be canceled
  rebuild N RANGE           replace node N's replica of the range with an empty one that fetches a snapshot from the
                            other replicas
  accept-clock              confirm that the clocks of all nodes are right, and advance cluster time to them, after a
                            stop of more than membershipConfig.maxClockAdvance
  lower-clock RANGE         set the clock of a range that is ahead back to cluster time; status lists such ranges

Options:
  -h, --help                print this help
  --version                 print the version

Environment:
  FJORDMQ_CLUSTER_DIR       directory of the cluster (default: cluster in the FjordMQ directory); it contains
                            nodeN/node.yml, nodeN/data and nodeN/logs
  bin/standalone.sh --help lists the variables for the nodes. In a cgroup with a memory limit, each node uses an equal
  part of it, unless FJORDMQ_MEMORY is set: the memory of each node

Ports of node N:
  11882 + N                 MQTT clients
  28082 + N                 HTTP: /metrics and /status
  18889 + 10 N              traffic between nodes, on the loopback address; also the port after it

These are not the ports of conf/standalone.yml, and clusterConfig.env is Playground. A node that bin/standalone.sh
starts never joins this cluster.

Examples:
  bin/cluster.sh start 3
  bin/cluster.sh kill 2
  bin/cluster.sh voters inbox=5

Exit codes:
  0   success
  1   failure; the message gives the reason
  2   invalid usage
  3   status: there is no cluster
HELP
}

require_digit() { # what $1 is, its value $2
  case "$2" in [1-9]) ;; *) die "$1 must be between 1 and 9, not '$2'; see --help" 2 ;; esac
}

seeds() {
  local node list=''
  for node in 1 2 3; do list="$list${list:+,}127.0.0.1:$((18889 + 10 * node))"; done
  printf '%s' "$list"
}

configure() { # node $1; writes its file only once, so that users can edit it
  local folder="$FOLDER/node$1"
  { mkdir -p "$folder" && [ -w "$folder" ]; } 2>/dev/null \
    || die "user $(id -un) cannot write to $folder; run this command as the user that created the cluster, or choose another directory with FJORDMQ_CLUSTER_DIR"
  [ -f "$folder/node.yml" ] || cat >"$folder/node.yml" <<YAML
bootstrap: $([ "$1" = 1 ] && echo true || echo false)
mqttServerConfig:
  tcpListener:
    port: $((11882 + $1))
httpConfig:
  port: $((28082 + $1))
clusterConfig:
  env: Playground
  host: 127.0.0.1
  port: $((18889 + 10 * $1))
  seedEndpoints: $(seeds)
YAML
}

call() { # action $1 on node $2, with more arguments
  local action="$1" node="$2"
  shift 2
  "$NODE" "$action" -c "$FOLDER/node$node/node.yml" -d "$FOLDER/node$node" "$@"
}

nodes() { # prints the numbers of all nodes
  local folder
  for folder in "$FOLDER"/node[1-9]; do
    if [ -d "$folder" ]; then printf '%s\n' "${folder##*node}"; fi
  done
}

start() {
  local count="${1:-3}" node failed=0
  require_digit "number of nodes" "$count"
  share_memory "$count"
  # Nodes of an existing cluster become ready only together: start all of them before waiting for any.
  local pids=()
  for ((node = 1; node <= count; node++)); do
    configure "$node"
    if [ -z "$(cluster_of "$node")" ]; then
      # Node 1 creates the cluster and the others join it. Without node 1 they would look for another cluster.
      call start "$node" || { [ "$node" -ne 1 ] || die "node 1 did not start, so no other node was started; see the error above"; failed=1; }
    else
      { call start "$node" || exit; } &
      pids+=($!)
    fi
  done
  for node in ${pids[@]+"${pids[@]}"}; do wait "$node" || failed=1; done
  [ "$failed" -eq 0 ] || die "at least one node did not start; see the errors above"
}

require_node() { # node $1 must have been started before
  [ -d "$FOLDER/node$1" ] || die "no node $1 in $FOLDER; status lists the nodes" 2
}

stop() {
  local node
  if [ $# -gt 0 ]; then
    require_digit "node number" "$1"
    require_node "$1"
    call stop "$1" || exit $? # the node has printed the reason
    return
  fi
  [ -n "$(nodes)" ] || say "no cluster in $FOLDER"
  for node in $(nodes); do call stop "$node" || exit $?; done
}

kill_node() {
  local pid
  [ $# -gt 0 ] || die "kill requires a node number; see --help" 2
  require_digit "node number" "$1"
  require_node "$1"
  call status "$1" >/dev/null || [ $? -ne 3 ] || die "node $1 is not running" # code 1: starting or suspended
  { read -r pid <"$FOLDER/node$1/data/lock"; } 2>/dev/null && kill -9 "$pid" 2>/dev/null \
    || die "user $(id -un) cannot kill node $1; run this command as the user that started it"
  say "killed: node $1, pid $pid"
}

status() {
  local node shown=no
  [ -n "$(nodes)" ] || { say "no cluster in $FOLDER; create one with 'bin/cluster.sh start'"; return 3; }
  for node in $(nodes); do
    printf 'node %s: ' "$node"
    call status "$node" 2>&1 | sed -n '1s/^fjordmq: //p' || true
  done
  for node in $(nodes); do
    if [ "$shown" = no ] && call status "$node" >/dev/null 2>&1; then
      call status "$node" | tail -n +2
      shown=yes
    fi
  done
}

# Runs action $1 with its arguments on the first ready node. A cluster that needs help may have none; then on the first
# running node.
anywhere() {
  local action="$1" node code chosen=''
  shift
  for node in $(nodes); do
    code=0
    call status "$node" >/dev/null || code=$?
    [ "$code" -ne 0 ] || { chosen="$node"; break; }
    [ "$code" -eq 3 ] || chosen="${chosen:-$node}" # running, but not ready
  done
  [ -n "$chosen" ] || die "no node of the cluster in $FOLDER is running; see 'bin/cluster.sh status'"
  call "$action" "$chosen" "$@" || exit $? # the node has printed the reason
}

leave() {
  [ $# -gt 0 ] || die "leave requires a node number; see --help" 2
  require_digit "node number" "$1"
  require_node "$1"
  call leave "$1" || exit $?
  rm -rf "$FOLDER/node$1" # no longer usable; start creates a new node in its place
}

cluster_of() { # prints the id of the cluster of node $1; nothing if the node has not created or joined one
  sed -n 's/^cluster //p' "$FOLDER/node$1/data/node.id" 2>/dev/null || true
}

# A node that was configured to join another cluster may be a voter there: deleting it could cost that cluster its
# majority.
require_one_cluster() {
  local node ours theirs
  ours="$(cluster_of 1)"
  for node in $(nodes); do
    theirs="$(cluster_of "$node")"
    [ -z "$theirs" ] || [ "$theirs" = "$ours" ] || die "nothing removed: node $node belongs to cluster $theirs, not to the cluster created here (${ours:-none}); decommission it with 'bin/cluster.sh leave $node', then retry"
  done
}

remove() {
  require_one_cluster
  stop
  [ -n "$(nodes)" ] || return 0
  rm -rf "$FOLDER"/node[1-9]
  rmdir "$FOLDER" 2>/dev/null || true
  say "removed: $FOLDER"
}

ACTION="${1:-}"
[ $# -eq 0 ] || shift
case "$ACTION" in
  status) status || exit ;; # a missing cluster is a result, not an internal error
  start | stop | leave | remove) "$ACTION" "$@" ;;
  voters | remove-node | split | merge | cancel | lower-clock | accept-clock) anywhere "$ACTION" "$@" ;;
  kill) kill_node "$@" ;;
  rebuild) [ $# -eq 2 ] || die "rebuild requires a node number and a range; see --help" 2; require_node "$1"; call rebuild "$1" "$2" || exit $? ;;
  -h | --help | help) usage ;;
  --version) version ;;
  '') usage >&2; exit 2 ;;
  *) die "unknown command '$ACTION'; see --help" 2 ;;
esac
