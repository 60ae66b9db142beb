#!/usr/bin/env bash
# Usage: bin/fuzz.sh [TARGET [SECONDS]]
#
# Fuzzes the broker: searches for inputs that break it. A run starts from the corpus in broker-server/src/test/fuzz,
# whose inputs FuzzTest also runs. Fuzzing of a target stops at the first input that breaks the broker; the script
# prints its directory.
#
#   TARGET         what to fuzz (default: all)
#                    decoder   the MQTT decoder, with arbitrary bytes
#                    session   packet exchanges between several clients and the broker
#                    all       both, one after the other
#   SECONDS        duration for each target (default: 60)
#
# Options:
#   -h, --help     print this help
#   --version      print the version
#
# Environment:
#   KEEP=yes       if no input broke the broker, replace the corpus with the smallest set of inputs that reaches the
#                  same coverage
#
# Example:
#   bin/fuzz.sh decoder 600
#
# Exit codes:
#   0   no input broke the broker
#   1   an input broke the broker, or fuzzing failed
#   2   invalid usage, or the build failed
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
handle_help_and_version "$@"
cd "$HOME_DIR" || exit 2

target="${1:-all}"
seconds="${2:-60}"
keep="${KEEP:-no}"
case "$target" in
  all) targets=(decoder session) ;;
  decoder | session) targets=("$target") ;;
  *) fail "unknown target '$target'; must be decoder, session or all" ;;
esac
require_number SECONDS "$seconds"

mvn -B -q test-compile dependency:build-classpath -pl broker-server -am -Dmdep.outputFile=target/test-classpath.txt || exit 2
classpath="broker-server/target/test-classes:broker-server/target/classes:$(cat broker-server/target/test-classpath.txt)"
work=broker-server/target/fuzz
failed=0

# No input may exceed the heap limit; Jazzer itself needs the rest of -rss_limit_mb. Jazzer's hooks look for
# injections, which do not exist in a broker, and one of them breaks Netty. They therefore apply to no class.
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
    echo "fuzz: $1: FAILED; see the input in $found"
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
