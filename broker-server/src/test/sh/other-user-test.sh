#!/usr/bin/env bash
# Tests bin/standalone.sh when the installation belongs to another user. Requires root, to be two users at once.
# bin/test.sh runs it.
set -uo pipefail
cd "$(dirname "$0")/../../../.." || exit 2
if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
  echo 'other-user-test.sh: skipped, because it requires root and setpriv'
  exit 0
fi
. broker-server/src/test/sh/installation.sh
folder="$(mktemp -d)"
home="$folder/home"
guest="$(id -un 65534)"
failures=0

# Stops what a failed test left running.
cleanup() {
  FJORDMQ_STOP_SECONDS=20 "$home/bin/standalone.sh" stop >/dev/null 2>&1
  as_guest "$home/bin/standalone.sh" stop -d "$folder/guest" >/dev/null 2>&1
  rm -rf "$folder"
}
trap cleanup EXIT

as_guest() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$folder" "$@"; }

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# Runs a command: the exit code must be $1, and the output must contain $2 and nothing that misleads an operator.
expect() {
  local code="$1" text="$2" output actual=0 wrong
  shift 2
  output="$("$@" 2>&1)" || actual=$?
  [ "$actual" -eq "$code" ] || fail "$* -> $actual instead of $code: $output"
  [[ "$output" == *"$text"* ]] || fail "$* does not print '$text': $output"
  for wrong in 'please report it' 'not running' 'line ' '[cds]' '.jsa' Exception; do
    [[ "$output" != *"$wrong"* ]] || fail "$* prints '$wrong': $output"
  done
}

quiet() { # the console log $1 has nothing but the lines of the script
  [ "$(grep -cv ' starting as user ' "$1")" -eq 0 ] || fail "unexpected lines in the console log: $(cat "$1")"
}

install_into "$home" || exit 2
mkdir "$folder/guest"
chmod 755 "$folder"
chmod -R go+rX "$home"
chown 65534:65534 "$folder/guest"

# The directories of the other user's node are closed, so nobody else can tell whether it runs.
closed="user $guest cannot access $home/data: $home/data belongs to root"
expect 0 'running: pid' "$home/bin/standalone.sh" start
for command in start status stop restart check voters; do
  expect 1 "$closed" as_guest "$home/bin/standalone.sh" "$command"
done
expect 0 'stopped: pid' "$home/bin/standalone.sh" stop
quiet "$home/logs/console.log"

# The same for the cluster of another user.
mkdir -p "$home/cluster/node1/data"
printf 'bootstrap: true\n' >"$home/cluster/node1/node.yml"
chmod 700 "$home/cluster/node1/data"
for command in 'start 1' stop 'stop 1' 'kill 1' remove 'leave 1' 'rebuild 1 inbox-1'; do
  # shellcheck disable=SC2086 # words
  expect 1 "user $guest cannot" as_guest "$home/bin/cluster.sh" $command
done
expect 0 "user $guest cannot access" as_guest "$home/bin/cluster.sh" status
rm -rf "$home/cluster"
expect 1 "user $guest cannot write to $home/cluster/node1" as_guest "$home/bin/cluster.sh" start 1
expect 0 "no cluster in $home/cluster" as_guest "$home/bin/cluster.sh" remove

# An own node of the same installation, twice: the archive of classes is written at the first stop and used later.
archive="$(compgen -G "$home/broker-server/target/fjordmq/*.jsa")"
for round in first second; do
  expect 0 'running: pid' as_guest "$home/bin/standalone.sh" start -d "$folder/guest"
  expect 0 'readiness: ready' as_guest "$home/bin/standalone.sh" status -d "$folder/guest"
  # Root may look after the nodes of all users.
  [ "$round" = first ] || expect 0 'readiness: ready' "$home/bin/standalone.sh" status -d "$folder/guest"
  expect 0 'stopped: pid' as_guest "$home/bin/standalone.sh" stop -d "$folder/guest"
  compgen -G "$folder/guest/data/*.jsa" >/dev/null || fail "no archive of classes in the data directory after the $round stop"
done
quiet "$folder/guest/logs/console.log"
[ "$(compgen -G "$home/broker-server/target/fjordmq/*.jsa")" = "$archive" ] || fail 'the archive of the installation changed'

# Where this user can write nothing, start names the directory.
rm -rf "$home/data" "$home/logs"
expect 1 "cannot create $home/data and $home/logs as user $guest" as_guest "$home/bin/standalone.sh" start

# Root started the node of another user once, and left files behind that the other user cannot read.
expect 0 'running: pid' "$home/bin/standalone.sh" start -d "$folder/guest"
expect 0 'stopped: pid' "$home/bin/standalone.sh" stop -d "$folder/guest"
expect 1 "user $guest cannot write $folder/guest/" as_guest "$home/bin/standalone.sh" start -d "$folder/guest"
chown -R "$guest" "$folder/guest"
expect 0 'running: pid' as_guest "$home/bin/standalone.sh" start -d "$folder/guest"
expect 0 'stopped: pid' as_guest "$home/bin/standalone.sh" stop -d "$folder/guest"

[ "$failures" -eq 0 ] && echo 'other-user-test.sh passed' || { echo "other-user-test.sh: $failures failed"; exit 1; }
