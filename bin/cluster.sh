#!/usr/bin/env bash
# A cluster on this machine to play with: bin/cluster.sh --help
set -Eeuo pipefail
trap 'printf "fjordmq: line %s of cluster.sh failed; please report it\n" "$LINENO" >&2' ERR

HOME_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
FOLDER="${FJORDMQ_CLUSTER_DIR:-$HOME_DIR/cluster}"
NODE="$HOME_DIR/bin/standalone.sh"

usage() {
  cat <<'HELP'
bin/cluster.sh start [COUNT] | stop [N] | kill N | status | remove
bin/cluster.sh voters [STORE=NUMBER]... | leave N | remove-node ID | split RANGE | merge RANGE | cancel RANGE | lower-clock RANGE | rebuild N RANGE

  start [COUNT]  starts COUNT nodes (3), on the loopback address; those that run already go on. A larger COUNT than before adds nodes.
                 If the first node cannot start, no other is started
  stop [N]       stops node N, or all
  kill N         kills node N with -9; start brings it back
  status         how each node is, and what the cluster looks like from the first that answers
  remove         stops all and deletes their data. Refused if a node belongs to a cluster that was not made here

  voters STORE=NUMBER...  how many copies of each range vote; without arguments: says so
  leave N                 node N goes for good: gives away all it has, stops; its data are deleted
  split RANGE             cuts a range in two where its load of the last seconds, or if it is idle its size, is halved; status shows the ranges
  merge RANGE             makes a range and the one that follows it one
  cancel RANGE            gives up a merge of the range, or a move of its votes because of the load, that status shows as pending
  rebuild N RANGE         replaces node N's replica of the range by an empty one that fetches a copy from the others
  lower-clock RANGE       sets the clock of a range that is ahead back to the cluster's time; status shows which are
  remove-node ID          takes a node that is gone without leaving out of the cluster; status shows the ids

Node N listens for clients on port 11882 + N, serves /metrics and /status on 28082 + N, and talks to the others on 18889 + 10 N
and the port after it. These are not the ports of conf/standalone.yml, and the cluster's env is Playground: a node that
bin/standalone.sh starts is never part of it.
Everything is below the folder cluster (FJORDMQ_CLUSTER_DIR names another one): nodeN/node.yml, nodeN/data, nodeN/logs.
HELP
}

say() { printf '%s\n' "fjordmq: $*"; }
die() { printf '%s\n' "fjordmq: $1" >&2; exit "${2:-1}"; }

number() { # $1 must be one from 1 to 9
  case "$1" in [1-9]) ;; *) die "'$1' must be a number from 1 to 9; see --help" 2 ;; esac
}

seeds() {
  local node list=''
  for node in 1 2 3; do list="$list${list:+,}127.0.0.1:$((18889 + 10 * node))"; done
  printf '%s' "$list"
}

configure() { # node $1; its file is written once, so that it can be edited
  local folder="$FOLDER/node$1"
  mkdir -p "$folder"
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

call() { # action $1 at node $2, with more words
  local action="$1" node="$2"
  shift 2
  "$NODE" "$action" -c "$FOLDER/node$node/node.yml" -d "$FOLDER/node$node" "$@"
}

nodes() { # the numbers of all there are
  local folder
  for folder in "$FOLDER"/node[1-9]; do
    if [ -d "$folder" ]; then printf '%s\n' "${folder##*node}"; fi
  done
}

start() {
  local count="${1:-3}" node failed=0
  number "$count"
  # Nodes that were a cluster before need each other to come up: all are started before any is waited for.
  local pids=()
  for ((node = 1; node <= count; node++)); do
    configure "$node"
    if [ ! -d "$FOLDER/node$node/data" ]; then
      # The first makes the cluster, the others join it: without the first they would look for another one.
      call start "$node" || { [ "$node" -ne 1 ] || die "node 1 did not start, so no other node was started; see above"; failed=1; }
    else
      call start "$node" &
      pids+=($!)
    fi
  done
  for node in ${pids[@]+"${pids[@]}"}; do wait "$node" || failed=1; done
  [ "$failed" -eq 0 ] || die "not every node has started; see above"
}

known() { # node $1 must have been started at some time
  [ -d "$FOLDER/node$1" ] || die "there is no node $1 in $FOLDER" 2
}

stop() {
  local node
  if [ $# -gt 0 ]; then
    number "$1"
    known "$1"
    call stop "$1"
    return
  fi
  for node in $(nodes); do call stop "$node"; done
}

kill_node() {
  local pid
  [ $# -gt 0 ] || die "kill needs the number of a node; see --help" 2
  number "$1"
  known "$1"
  call status "$1" >/dev/null || [ $? -ne 3 ] || die "node $1 does not run" # 1: it starts, or rests
  read -r pid <"$FOLDER/node$1/data/lock"
  kill -9 "$pid"
  say "killed: node $1, pid $pid"
}

status() {
  local node shown=no
  [ -n "$(nodes)" ] || { say "there is no cluster in $FOLDER"; return 3; }
  for node in $(nodes); do
    printf 'node %s: ' "$node"
    call status "$node" | sed -n 1p || true
  done
  for node in $(nodes); do
    if [ "$shown" = no ] && call status "$node" >/dev/null; then
      call status "$node" | tail -n +2
      shown=yes
    fi
  done
}

anywhere() { # action $1 with its words, at the first node that runs
  local action="$1" node
  shift
  for node in $(nodes); do
    if call status "$node" >/dev/null; then
      call "$action" "$node" "$@" || exit $? # it has said why
      return
    fi
  done
  die "no node of the cluster in $FOLDER is ready"
}

leave() {
  [ $# -gt 0 ] || die "leave needs the number of a node; see --help" 2
  number "$1"
  known "$1"
  call leave "$1" || exit $?
  rm -rf "$FOLDER/node$1" # of no use any more; start makes a new node in its place
}

cluster_of() { # the id of the cluster that node $1 belongs to; nothing if it has not made or joined one
  sed -n 's/^cluster //p' "$FOLDER/node$1/data/node.id" 2>/dev/null || true
}

# A node that was configured to join another cluster may hold one of that cluster's votes: deleting it could stop that cluster.
require_one_cluster() {
  local node ours theirs
  ours="$(cluster_of 1)"
  for node in $(nodes); do
    theirs="$(cluster_of "$node")"
    [ -z "$theirs" ] || [ "$theirs" = "$ours" ] || die "node $node belongs to cluster $theirs, not to the one made here (${ours:-there is none}): nothing was removed. Take it out of its cluster with 'bin/cluster.sh leave $node', then try again"
  done
}

remove() {
  require_one_cluster
  stop
  rm -rf "$FOLDER"/node[1-9]
  rmdir "$FOLDER" 2>/dev/null || true
  say "removed: $FOLDER"
}

ACTION="${1:-}"
[ $# -eq 0 ] || shift
case "$ACTION" in
  status) status || exit ;; # that there is no cluster is an answer, not a defect of this script
  start | stop | leave | remove) "$ACTION" "$@" ;;
  voters | remove-node | split | merge | cancel | lower-clock) anywhere "$ACTION" "$@" ;;
  kill) kill_node "$@" ;;
  rebuild) [ $# -eq 2 ] || { usage >&2; exit 2; }; known "$1"; call rebuild "$1" "$2" || exit $? ;;
  -h | --help | help) usage ;;
  '') usage >&2; exit 2 ;;
  *) die "unknown command '$ACTION'; see --help" 2 ;;
esac
