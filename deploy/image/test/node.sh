# shellcheck shell=bash
# Tests that run containers. Sourced by ../test.sh, which sets work and root and sources an engine.
# shellcheck disable=SC2154

# Runs a command until it succeeds, for at most $1 seconds, while the node $2 of node_exec runs.
await() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    [ "$1" != node_exec ] || node_running "$2" || return 1
    sleep 0.2
  done
}

await_ready() { # name of a node
  await 120 node_exec "$1" healthcheck.sh /readyz || {
    fail "$1 is not ready: $(node_log "$1" | tail -n 20)"
    return 1
  }
}

# Reads all of the log: with 'grep -q', the program that prints it would fail.
log_contains() { node_log "$1" | grep -F -- "$2" >/dev/null; } # node, text

# Publishes a message to port $1 and expects it on port $2, where the subscription exists before; further arguments are
# options of both clients. The message is retained.
deliver() {
  local from="$1" to="$2" topic="test/$1-$2" subscriber
  shift 2
  stdbuf -oL mosquitto_sub -d -h 127.0.0.1 -p "$to" -q 1 -t "$topic" -C 1 -W 60 "$@" >"$work/received" 2>&1 &
  subscriber=$!
  await 60 grep -F 'received SUBACK' "$work/received" || fail "no subscription on port $to: $(cat "$work/received")"
  mosquitto_pub -h 127.0.0.1 -p "$from" -q 1 -t "$topic" -m hello -r "$@" || fail "cannot publish to port $from"
  wait "$subscriber"
  grep -qx hello "$work/received" || fail "no message from port $from on port $to: $(cat "$work/received")"
}

test_commands() {
  local output
  output="$(once -- fjordmq --version)"
  [ "$output" = "FjordMQ $version" ] || fail "fjordmq --version: $output"
  output="$(once -- id -u)"
  [ "$output" = 1000 ] || fail "the user is $output"
  output="$(once -- sh -c 'touch /opt/fjordmq/x || touch /etc/x || touch /x' 2>&1)" && fail "the root is writable: $output"
  output="$(once -- healthcheck.sh 2>&1)" && fail "healthy without a node: $output"
  output="$(once -e FJORDMQ_CLUSTERCONFIG__PROT=1 -- 2>&1)"
  [[ "$output" == *'did you mean clusterConfig.port?'* ]] || fail "unknown variable: $output"
}

# A node with the least memory that it is meant for, loaded until every part of its memory is in use.
test_node() {
  local code started output
  node_start node 512 FJORDMQ_CLUSTERCONFIG__NODENAME=first FJORDMQ_SECURITYCONFIG__MAXLOGINFAILURES=100
  await_ready node || return 0
  node_exec node healthcheck.sh || fail 'ready, but not alive'
  [ "$(node_processes node | grep -c .)" = 1 ] || fail "more than one process: $(node_processes node)"
  log_contains node 'Memory: available=512 MiB source=cgroup heap=' || skip_or_fail_memory
  log_contains node "fjordmq mqtt-users add NAME" || fail 'the log does not say how to add a user'
  output="$(node_exec node sh -c 'find /tmp /var/lib/fjordmq -name "*.so"')"
  [ -z "$output" ] || fail "the node has unpacked native libraries: $output"
  ! log_contains node 'transport=nio' || fail 'the node does not use its native transport'

  # Nobody without a user, not even from the same host, and although a key of securityConfig is set.
  output="$(mosquitto_pub -h 127.0.0.1 -q 1 -t a -m b 2>&1)" && fail 'an anonymous client was admitted'
  node_exec node sh -c 'cd /var/lib/fjordmq && echo secret-1 >pw && fjordmq mqtt-users add alice --password-file pw' \
    >"$work/users" 2>&1 || fail "cannot add a user: $(cat "$work/users")"
  deliver 1883 1883 -u alice -P secret-1
  mosquitto_pub -h 127.0.0.1 -q 1 -t a -m b -u alice -P wrong 2>/dev/null && fail 'a wrong password was accepted'
  curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:18083/metrics | grep -qx 401 || fail '/metrics needs no credentials'
  node_exec node fjordmq status | grep first >/dev/null || fail "fjordmq status: $(node_exec node fjordmq status)"

  started=$SECONDS
  code="$(node_stop node 30)"
  [ "$code" = 0 ] || fail "exit code $code after SIGTERM: $(node_log node | tail -n 5)"
  [ $((SECONDS - started)) -lt 25 ] || fail "the stop took $((SECONDS - started)) s"
  log_contains node 'Shutting down' || fail 'no orderly stop'
  node_remove node

  # A new container with the same volume, with the retained message.
  node_start node 512 FJORDMQ_SECURITYCONFIG__ALLOWANONYMOUS=true
  await_ready node || return 0
  output="$(mosquitto_sub -h 127.0.0.1 -t test/1883-1883 -C 1 -W 20 2>&1)"
  [ "$output" = hello ] || fail "the retained message is lost: $output"
  load_node node
  node_stop node 30 >/dev/null
  node_remove node
}

skip_or_fail_memory() {
  [ "$engine" = chroot ] && log_contains node 'source=host' && { echo 'no memory limit: cannot create a cgroup'; return; }
  fail "the node does not see its limit: $(node_log node | grep -F Memory:)"
}

# Loads a node with everything that clients do, and with large messages for sessions that are offline.
load_node() {
  local client publishers=()
  java -Xmx256m -Dlogback.configurationFile=logback-off.xml -cp "$root/opt/fjordmq/lib/broker/*" \
    io.fjordmq.broker.training.TrainingLoad 1883 10 >"$work/load" 2>&1 || fail "the load failed: $(tail -n 5 "$work/load")"
  head -c 200000 /dev/zero | tr '\0' x >"$work/payload"
  for client in 1 2 3; do
    mosquitto_sub -h 127.0.0.1 -i "offline-$client" -c -q 1 -t 'load/#' -E
  done
  for client in 1 2 3 4; do
    for _ in $(seq 60); do cat "$work/payload"; echo; done |
      mosquitto_pub -h 127.0.0.1 -i "publisher-$client" -q 1 -t "load/$client" -l 2>/dev/null &
    publishers+=($!)
  done
  wait "${publishers[@]}"
  node_running "$1" || fail "the node did not survive the load: $(node_log "$1" | tail -n 5)"
  node_exec "$1" healthcheck.sh /readyz >/dev/null || fail "not ready after the load"
  printf 'memory after the load: %s\n' "$(node_exec "$1" sh -c 'grep -E "VmHWM|VmRSS" /proc/1/status' | tr -s '\t\n ' ' ')"
}

test_cluster() {
  local number seeds=127.0.0.1:8899,127.0.0.1:8909,127.0.0.1:8919 variables
  for number in 1 2 3; do
    variables=("FJORDMQ_CLUSTERCONFIG__SEEDENDPOINTS=$seeds" FJORDMQ_EXPECTNODES=3 "FJORDMQ_CLUSTERCONFIG__PORT=$((8889 + 10 * number))"
      "FJORDMQ_MQTTSERVERCONFIG__TCPLISTENER__PORT=$((1882 + number))" "FJORDMQ_HTTPCONFIG__PORT=$((18082 + number))"
      "FJORDMQ_CLUSTERCONFIG__NODENAME=node-$number" FJORDMQ_SECURITYCONFIG__ALLOWANONYMOUS=true
      FJORDMQ_DRAINCONFIG__ATSTOP=true FJORDMQ_JVM_OPTS=-Xmx128m)
    node_start "node$number" 640 "${variables[@]}"
  done
  for number in 1 2 3; do await_ready "node$number" || return 0; done
  await 60 has_nodes 3 || fail "not three nodes: $(node_exec node2 fjordmq status)"
  deliver 1883 1885
  # The image's own way to stop: drained, with exit code 0.
  [ "$(node_stop node1 60)" = 0 ] || fail "exit code: $(node_log node1 | tail -n 5)"
  log_contains node1 'Drain finished' || fail 'the node did not drain'
  deliver 1884 1885
  for number in 2 3; do [ "$(node_stop "node$number" 60)" = 0 ] || fail "exit code of node$number"; done
}

has_nodes() { [ "$(node_exec node2 fjordmq status | grep -cE 'node-[123]')" -ge "$1" ]; }
