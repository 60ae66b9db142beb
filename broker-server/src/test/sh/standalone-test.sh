#!/usr/bin/env bash
# Tests bin/standalone.sh as operators use it, on its own ports and with data in a temporary directory. bin/test.sh runs it.
set -uo pipefail
cd "$(dirname "$0")/../../../.." || exit 2
script=bin/standalone.sh
folder="$(mktemp -d)"
newer=perf/src/main/newer-than-the-build
failures=0

cleanup() {
  "$script" stop -c "$folder/a.yml" -d "$folder/a" >/dev/null 2>&1
  "$script" stop -c "$folder/b.yml" -d "$folder/b" >/dev/null 2>&1
  rm -rf "$folder" "$newer"
}
trap cleanup EXIT

# Runs the script: the exit code must be $1, and the output must contain $2 and must not report an internal error.
expect() {
  local code="$1" text="$2" output actual=0
  shift 2
  output="$("$script" "$@" 2>&1)" || actual=$?
  if [ "$actual" -eq "$code" ] && [[ "$output" == *"$text"* ]] && [[ "$output" != *'please report it'* ]]; then
    echo "ok: standalone.sh ${*//$folder\//} -> $code, '$text'"
  else
    echo "FAILED: standalone.sh $* -> $actual instead of $code, without '$text', or with an internal error:"
    printf '%s\n' "$output" | sed 's/^/    /'
    failures=$((failures + 1))
  fi
}

config() { # name, extra lines
  cat >"$folder/$1.yml" <<YAML
bootstrap: true
mqttServerConfig:
  tcpListener:
    host: 127.0.0.1
    port: ${3:-0}
httpConfig:
  port: 0
${2:-clusterConfig:
  port: $((20000 + RANDOM % 12000))}
YAML
}

config a
config b
node_a=(-c "$folder/a.yml" -d "$folder/a")
node_b=(-c "$folder/b.yml" -d "$folder/b")

expect 0 'Usage: bin/standalone.sh COMMAND' --help
expect 0 'FjordMQ ' --version
expect 2 "unknown command 'begin'" begin
expect 2 "unknown option '-x'" start -x
expect 2 "unexpected argument 'x'" start x
expect 2 "--alone is only valid with start" status --alone
expect 1 "--alone requires a node that already belongs to a cluster" start --alone "${node_a[@]}"
expect 2 'configuration file not found' start -c "$folder/none.yml"
expect 3 'not running' status "${node_a[@]}"
expect 0 'not running' stop "${node_a[@]}"
expect 3 'not running' voters "${node_a[@]}"
expect 2 'remove-node requires exactly one node id' remove-node "${node_a[@]}"

config wrong 'clusterConfig:
  prot: 1'
expect 2 'did you mean clusterConfig.port?' start -c "$folder/wrong.yml" -d "$folder/wrong"
[ ! -e "$folder/wrong/data/node.id" ] || { echo 'FAILED: an invalid configuration left data behind'; failures=$((failures + 1)); }

config noboot 'clusterConfig:
  port: 21000
  seedEndpoints: 127.0.0.1:21000'
sed -i 's/bootstrap: true/bootstrap: false/' "$folder/noboot.yml"
expect 1 'set bootstrap: true' start -c "$folder/noboot.yml" -d "$folder/noboot"

# The node reports all startup errors together and leaves nothing behind.
sed "s#^    port: 0#    port: 0\n  tlsListener:\n    port: 0\n    certFile: $folder/none.crt\n    keyFile: $folder/none.key#" "$folder/a.yml" >"$folder/files.yml"
printf 'securityConfig:\n  passwordFile: %s/none\n' "$folder" >>"$folder/files.yml"
expect 2 'none.crt' check -c "$folder/files.yml" -d "$folder/files"
expect 2 'securityConfig.passwordFile' check -c "$folder/files.yml" -d "$folder/files"
expect 1 'securityConfig.passwordFile' start -c "$folder/files.yml" -d "$folder/files"
[ ! -e "$folder/files/data/node.id" ] || { echo 'FAILED: missing files left a cluster behind'; failures=$((failures + 1)); }
expect 0 'the configuration is valid' check "${node_a[@]}"
output="$("$script" check "${node_a[@]}" 2>&1)"
[ "$(wc -l <<<"$output")" -eq 1 ] && [ ! -e "$folder/a/logs" ] || { echo "FAILED: check prints more than its result, or writes a log: $output"; failures=$((failures + 1)); }

# A JDK 8 is reported as Java 8.
mkdir -p "$folder/jdk8/bin"
printf 'JAVA_VERSION="1.8.0_402"\n' >"$folder/jdk8/release"
printf '#!/bin/sh\n' >"$folder/jdk8/bin/java"
chmod +x "$folder/jdk8/bin/java"
output="$(FJORDMQ_JAVA="$folder/jdk8/bin/java" "$script" start "${node_a[@]}" 2>&1)"
[[ "$output" == *'is Java 8; FjordMQ requires Java 17 or newer'* ]] || { echo "FAILED: Java 8 is not reported: $output"; failures=$((failures + 1)); }

expect 0 'running: pid' start "${node_a[@]}"
expect 0 'already running: pid' start "${node_a[@]}"

# The load tool is not part of the broker, so the next start builds nothing.
stamp=broker-server/target/fjordmq/built
touch -r "$stamp" "$folder/stamp"
touch "$newer"
expect 0 'readiness: ready' status "${node_a[@]}"
expect 0 'running: pid' start "${node_b[@]}"
if [ "$stamp" -nt "$folder/stamp" ]; then
  echo "FAILED: standalone.sh rebuilt the broker after a change of the load tool"
  failures=$((failures + 1))
fi
rm -f "$newer"
expect 0 'dist=3 inbox=3 retain=3 (limited by the number of nodes, currently 1)' voters "${node_a[@]}"
expect 0 'dist=3 inbox=1 retain=3' voters inbox=1 "${node_a[@]}"
expect 2 "invalid voter count 'inbox=6': expected STORE=NUMBER, where STORE is one of dist, inbox, retain" voters inbox=6 "${node_a[@]}"
expect 1 'cannot remove node x: ' remove-node x "${node_a[@]}"
expect 1 'no other node is up to take over' leave "${node_a[@]}"

port="$(sed -n 's/^mqtt=tcp:.*:\([0-9]*\)$/\1/p' "$folder/a/data/fjordmq.pid")"
config taken 'clusterConfig:
  port: 19999' "$port"
expect 1 'mqttServerConfig.tcpListener.port' start -c "$folder/taken.yml" -d "$folder/taken"

mv "$folder/b/data/fjordmq.pid" "$folder/b.pid" # as if the node were starting
expect 1 'starting: pid' status "${node_b[@]}"
mv "$folder/b.pid" "$folder/b/data/fjordmq.pid"

# The kernel accepts connections for a suspended process, which does not respond.
kill -STOP "$(cat "$folder/b/data/lock")"
expect 1 'does not respond' status "${node_b[@]}"
kill -CONT "$(cat "$folder/b/data/lock")"

expect 0 'running: pid' restart "${node_a[@]}"
kill -9 "$(cat "$folder/b/data/lock")"
expect 3 'not running' status "${node_b[@]}"
cp "$folder/a/data/lock" "$folder/b/data/lock" # as if the pid of the killed node had been reused
expect 3 'not running' status "${node_b[@]}"
console="$folder/b/logs/console.log"
truncate -s 10485760 "$console" # as if plugins had printed so much
expect 0 'running: pid' start "${node_b[@]}"
[ "$(wc -c <"$console.1")" -eq 10485760 ] && [ "$(grep -c ' starting as user ' "$console")" -eq 1 ] \
  || { echo 'FAILED: a console log of 10 MB was not renamed'; failures=$((failures + 1)); }
expect 0 'stopped: pid' stop "${node_a[@]}"
expect 0 'stopped: pid' stop "${node_b[@]}"
grep -q 'FjordMQ stopped node=' "$folder/a/logs/fjordmq.log" || { echo 'FAILED: the log does not say that the node stopped'; failures=$((failures + 1)); }
expect 3 'not running' status "${node_a[@]}"

# Each start appends to the console log.
[ "$(grep -c ' starting as user ' "$folder/a/logs/console.log")" -eq 2 ] || { echo 'FAILED: the console log does not contain both starts'; failures=$((failures + 1)); }

# The JVM prints nothing to the console log, not even at a second start, and other users have no access to any file.
[ "$(grep -cv ' starting as user ' "$folder/a/logs/console.log")" -eq 0 ] || { echo 'FAILED: unexpected lines in the console log:'; cat "$folder/a/logs/console.log"; failures=$((failures + 1)); }
others="$(find "$folder/a" -perm /077 ! -type l)"
[ -z "$others" ] || { printf 'FAILED: other users have access to:\n%s\n' "$others"; failures=$((failures + 1)); }

# The jar that docs/PLUGINS.md passes to javac exists.
api="$(compgen -G 'broker-server/target/fjordmq/lib/broker-api-*.jar')"
[ -f "$api" ] && grep -qF 'javac -cp broker-server/target/fjordmq/lib/broker-api-*.jar' docs/PLUGINS.md || { echo "FAILED: docs/PLUGINS.md does not name the jar $api"; failures=$((failures + 1)); }

# Two builds at once are one build.
tree="$folder/tree"
mkdir -p "$tree/broker-server/src/main" "$tree/.mvn" "$folder/tools"
cp -r bin pom.xml "$tree"
cp broker-server/pom.xml "$tree/broker-server"
printf '#!/bin/sh\necho build >>"%s"\nsleep 1\n' "$folder/builds" >"$folder/tools/mvn"
chmod +x "$folder/tools/mvn"
PATH="$folder/tools:$PATH" "$tree/bin/standalone.sh" build >"$folder/first" 2>&1 &
first=$!
second_code=0 first_code=0
PATH="$folder/tools:$PATH" "$tree/bin/standalone.sh" build >"$folder/second" 2>&1 || second_code=$?
wait "$first" || first_code=$?
[ "$first_code$second_code" = 00 ] && [ "$(wc -l <"$folder/builds")" -eq 1 ] \
  && grep -q 'waiting for another build' "$folder/first" "$folder/second" && [ -f "$tree/broker-server/target/fjordmq/built" ] \
  || { echo "FAILED: two builds at once: codes $first_code and $second_code, Maven ran for:"; cat "$folder/builds" "$folder/first" "$folder/second"; failures=$((failures + 1)); }

[ "$failures" -eq 0 ] && echo "standalone.sh passed" || { echo "standalone.sh: $failures failed"; exit 1; }
