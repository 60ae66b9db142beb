#!/usr/bin/env bash
# Searches for inputs that break the broker: bin/fuzz.sh [TARGET [SECONDS]]
#
# Targets: decoder (any bytes), session (any conversation of several clients), all (one after the other; default). 60 seconds each
# if nothing else is said. A run begins with the inputs that are kept in broker-server/src/test/fuzz, each of which is a test too
# (FuzzTest), and ends with the input that broke the broker, if there is one. With KEEP=yes it keeps the fewest
# inputs that reach all that any of them reached.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

case "${1:-}" in -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
target="${1:-all}"
seconds="${2:-60}"
keep="${KEEP:-no}"
case "$target" in
  all) targets=(decoder session) ;;
  decoder | session) targets=("$target") ;;
  *) echo "fuzz.sh: unknown target '$target'; there are decoder, session and all" >&2; exit 2 ;;
esac
case "$seconds" in '' | *[!0-9]*) echo "fuzz.sh: '$seconds' must be a whole number of seconds" >&2; exit 2 ;; esac

mvn -B -q test-compile dependency:build-classpath -pl broker-server -am -Dmdep.outputFile=target/test-classpath.txt || exit 2
classpath="broker-server/target/test-classes:broker-server/target/classes:$(cat broker-server/target/test-classpath.txt)"
work=broker-server/target/fuzz
failed=0

# The heap's bound is what no input may exceed; Jazzer itself needs the rest. Its hooks into calls look for injections, of which
# a broker has none, and one of them breaks netty: they apply to no class.
jazzer() { # class, more options
  java -Xmx512m -XX:+UseSerialGC -XX:+EnableDynamicAgentLoading -cp "$classpath" com.code_intelligence.jazzer.Jazzer \
    --target_class="$1" --instrumentation_includes='io.fjordmq.**:io.netty.handler.codec.mqtt.**' --custom_hook_includes='none.**' \
    -timeout=20 -max_len=300 -rss_limit_mb=2500 "${@:2}"
}

fuzz() { # target
  local kept="broker-server/src/test/fuzz/$1.txt" found="$work/$1" class="io.fjordmq.broker.fuzz.${1^}Fuzz" code=0
  rm -rf "$found"
  mkdir -p "$found/corpus"
  java -cp "$classpath" io.fjordmq.broker.fuzz.KeptInputs unpack "$kept" "$found/corpus" || { failed=1; return; }
  jazzer "$class" --reproducer_path="$found" -max_total_time="$seconds" -artifact_prefix="$found/" "$found/corpus" >"$found/log" 2>&1 || code=$?
  grep -E '^#[0-9]+.*DONE|^Done' "$found/log" | sed "s/^/fuzz: $1: /"
  if [ "$code" -ne 0 ]; then
    failed=1
    tail -n 60 "$found/log"
    echo "fuzz: $1: FAILED; the input is below $found"
  elif [ "$keep" = yes ]; then
    mkdir "$found/fewest"
    jazzer "$class" -merge=1 -artifact_prefix="$found/" "$found/fewest" "$found/corpus" >"$found/merge-log" 2>&1 &&
      java -cp "$classpath" io.fjordmq.broker.fuzz.KeptInputs pack "$found/fewest" "$kept" || failed=1
  fi
}

for target in "${targets[@]}"; do
  fuzz "$target"
done
exit "$failed"
