#!/usr/bin/env bash
# Tests the AOT cache that bin/standalone.sh build makes with JDK 25 and newer. Trains once if the build has no cache.
# bin/test.sh runs it.
set -uo pipefail
cd "$(dirname "$0")/../../../.." || exit 2
. broker-server/src/test/sh/installation.sh
folder="$(mktemp -d)"
home="$folder/home"
node="$folder/node"
target=broker-server/target/fjordmq
failures=0

cleanup() {
  "$home/bin/standalone.sh" stop -d "$node" >/dev/null 2>&1
  rm -rf "$folder"
}
trap cleanup EXIT

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# Starts and stops a node: it must be ready, print nothing to the console, and use the cache if $1 is yes.
start_and_stop() { # yes or no, what is tested
  local output maps used=no
  rm -rf "$node"
  output="$("$home/bin/standalone.sh" start -d "$node" 2>&1)" || fail "$2: start fails: $output"
  maps="$(cat "/proc/$(cat "$node/data/lock")/maps")"
  [[ "$maps" != *.aot* ]] || used=yes
  [ "$used" = "$1" ] || fail "$2: the node uses the cache: $used, expected: $1"
  [ "$used" = no ] || ! compgen -G "$node/data/native/*" >/dev/null || fail "$2: the node unpacks the library of RocksDB again"
  output="$("$home/bin/standalone.sh" stop -d "$node" 2>&1)" || fail "$2: stop fails: $output"
  [ "$(grep -cv ' starting as user ' "$node/logs/console.log")" -eq 0 ] \
    || fail "$2: unexpected lines in the console log: $(cat "$node/logs/console.log")"
}

# --- training that fails ------------------------------------------------------------------------------------------
# A JDK whose node becomes ready, and when it stops writes a cache although it fails. Maven builds nothing.
tree="$folder/tree"
mkdir -p "$tree/broker-server/src/main" "$tree/.mvn" "$folder/tools" "$folder/jdk/bin" "$folder/jdk/lib"
cp -r bin pom.xml conf "$tree"
cp broker-server/pom.xml "$tree/broker-server"
printf '#!/bin/sh\nmkdir -p "%s/lib" && : >"%s/lib/a.jar"\n' "$tree/$target" "$tree/$target" >"$folder/tools/mvn"
: >"$folder/jdk/lib/modules"
printf 'JAVA_VERSION="25.0.1"\n' >"$folder/jdk/release"
cat >"$folder/jdk/bin/java" <<'JAVA'
#!/usr/bin/env bash
case "$*" in *TrainingLoad*) echo "${@: -2}" >>"$(dirname "$0")/loads"; exit "$(cat "$(dirname "$0")/load")" ;; esac
cache="$(printf '%s\n' "$@" | sed -n 's/^-XX:AOTCacheOutput=//p')"
data="${!#}/data"
trap 'echo cache >"$cache"; exit "$(cat "$(dirname "$0")/node")"' TERM
mkdir -p "$data"
printf '%s\nmqtt=tcp://127.0.0.1:1\nhttp=http://127.0.0.1:1\n' $$ >"$data/fjordmq.pid"
while true; do sleep 0.1; done
JAVA
chmod +x "$folder/tools/mvn" "$folder/jdk/bin/java"
for case in '0 1 warned' '1 0 warned' '0 0 trained'; do # exit codes of the load and of the node
  read -r load code expected <<<"$case"
  echo "$load" >"$folder/jdk/bin/load"
  echo "$code" >"$folder/jdk/bin/node"
  rm -f "$folder/jdk/bin/loads"
  output="$(PATH="$folder/tools:$PATH" FJORDMQ_JAVA="$folder/jdk/bin/java" "$tree/bin/standalone.sh" build 2>&1)" \
    || fail "build fails with its training ($case): $output"
  [[ "$output" != *'please report it'* && "$output" != *': line '* ]] || fail "training reports an internal error ($case): $output"
  case "$expected" in
    warned)
      [[ "$output" == *'warning: training failed'* ]] || fail "no warning although training failed ($case): $output"
      ! compgen -G "$tree/$target/*.aot*" >/dev/null || fail "a failed training left a cache behind ($case)"
      ;;
    trained)
      [[ "$output" != *warning* ]] && [ -s "$tree/$target/classes-25.aot" ] && [ -s "$tree/$target/classes-25.aot.inputs" ] || fail "no cache after training: $output"
      output="$(cat "$folder/jdk/bin/loads")" # ports and seconds of each load
      [ "$output" = $'1 8\n1,1,1 8' ] || fail "the load was not applied to one node and then to three: $output"
      ;;
  esac
done

# --- the cache of the build ---------------------------------------------------------------------------------------
output="$(bin/standalone.sh build 2>&1)" || fail "build fails: $output"
cache="$(compgen -G "$target/classes-*.aot")"
if [ -z "$cache" ] && [ "$failures" -eq 0 ] && [[ "$output" != *warning* ]]; then
  echo 'aot-cache-test.sh: the rest is skipped, because it requires JDK 25 or newer'
  exit 0
fi
[ -n "$cache" ] || { fail "build makes no cache: $output"; exit 1; }
output="$(bin/standalone.sh build 2>&1)" || fail "build fails: $output"
[ -z "$output" ] || fail "a second build does something: $output"

install_into "$home" || exit 2
mkdir -p "$home/$target"
rm -rf "${home:?}/$target"
cp -a "$target" "$home/$target" # an archive keeps the modification times, too
rm -f "$home/$target"/*.jsa
cache="$home/$cache"
start_and_stop yes 'a copy of the installation'
! compgen -G "$home/$target/*.jsa" >/dev/null || fail 'a node with a cache writes a class data sharing archive'
FJORDMQ_JVM_OPTS='-Xmx128m -Dx=y' start_and_stop yes 'another heap size'
FJORDMQ_JVM_OPTS='-XX:-UseCompactObjectHeaders' start_and_stop no 'another object layout'

# The JVM itself rejects this one.
cp -p "$cache" "$folder/cache"
dd if=/dev/zero of="$cache" bs=4096 count=1 conv=notrunc 2>/dev/null
touch -r "$folder/cache" "$cache"
start_and_stop no 'a cache without its header'

truncate -s 1000000 "$cache"
start_and_stop no 'a truncated cache'
compgen -G "$home/$target/*.jsa" >/dev/null || fail 'a node without a usable cache writes no class data sharing archive'
rm -f "$cache"
start_and_stop no 'a missing cache'

cp -p "$folder/cache" "$cache"
touch "$(compgen -G "$home/$target/lib/broker-server-*.jar")"
start_and_stop no 'a cache of other jars'

[ "$failures" -eq 0 ] && echo 'aot-cache-test.sh passed' || { echo "aot-cache-test.sh: $failures failed"; exit 1; }
