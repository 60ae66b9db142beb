#!/usr/bin/env bash
# The load tool: runs load scenarios against a broker and writes reports. docs/PERFORMANCE.md explains the figures.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() {
  cat <<'TEXT'
Usage:
  bin/perf.sh run SCENARIO [OPTION]...
  bin/perf.sh compare A.json B.json
  bin/perf.sh micro [NAME]... [OPTION]...
  bin/perf.sh --list
  bin/perf.sh build

Runs load scenarios against FjordMQ, mosquitto or any other MQTT broker, checks every message and writes reports.

Commands:
  run                    start a broker, run SCENARIO and write a report: a page with plots, and the figures as JSON
  compare                print two reports side by side
  micro                  run microbenchmarks of FjordMQ without a network: decode, route-match, encode, fan-out,
                         inbox-append, range-apply (default: all); print the JMH table and write its JSON
  --list, list           list the scenarios
  build                  build the load tool if its sources are newer than the build; run and micro do this as well

Options for run:
  --scale FACTOR         fraction of the clients, above 0 and at most 1, for a host that is too small for all
                         (default: 1)
  --seconds N            measured time (default: the scenario's; 60 unless the scenario sets another)
  --warm N               warm-up time in seconds before the measurement (default: 15; 0 for a cold cluster; always 0 for
                         connection scenarios)
  --runs N               number of runs for each broker (default: 1)
  --broker NAME          broker to start: fjordmq or mosquitto (default: fjordmq). Repeat the option to measure both
                         in turn
  --hosts HOST:PORT,...  use a running broker of any kind instead of starting one
  --pids PID,...         processes of that broker on this host, to measure their CPU and memory
  --remote               allow --hosts on other hosts
  --client-cert FILE     client certificate for mutual TLS with a running broker; requires --client-key
  --client-key FILE      private key of that certificate
  --without NAME         omit a requirement of the scenario that cannot be met here: users or node-limits
  --threads N            number of event loops of the load tool (default: number of processors)
  --out DIR              directory for the report (default: ./perf-reports)

Options for micro:
  --forks N              number of JVMs for each benchmark (default: 1)
  --iterations N         measured iterations in each JVM, after as many for warm-up (default: 5)
  --seconds N            duration of an iteration (default: 1)
  --out DIR              directory for the JSON file (default: ./perf-reports)

Other options:
  -h, --help             print this help
  --version              print the version

Examples:
  bin/perf.sh run true_2k_2k_qos1_p32_100mps_1n --scale 0.05
  bin/perf.sh run true_100_100_qos1_p256_10mps_1n --broker fjordmq --broker mosquitto --runs 5
  bin/perf.sh run true_50_50_qos1_p64_10mps_1n --hosts 127.0.0.1:1883 --pids 4711
  bin/perf.sh micro route-match inbox-append

Exit codes:
  0   success
  1   messages were lost, duplicated, reordered or misrouted, acknowledgements are missing, clients were refused or
      disconnected, or a broker exited
  2   invalid usage, or some or all measurements could not be done
TEXT
}

case "${1:-}" in
  '') usage >&2; exit 2 ;;
  -h | --help | help) usage; exit 0 ;;
  --version) version; exit 0 ;;
  run | compare | micro | build | list | --list) ;;
  *) fail "unknown command '$1'; must be run, compare, micro, build or --list; see --help" ;; # before anything is built
esac
for word in "$@"; do
  case "$word" in -h | --help) usage; exit 0 ;; esac
done

here="$PWD"
root="$HOME_DIR"
command -v java >/dev/null || fail "'java' is not installed or not in PATH; install a JDK 17 or newer"

stamp="$root/perf/target/built"
if [ ! -f "$stamp" ] && { [ "$1" = list ] || [ "$1" = --list ]; }; then
  # A build takes minutes, and the names are in the files.
  sed -n 's/^\([a-z0-9_]*\): .*$/\1/p' "$root"/perf/scenarios/*.yml
  echo "perf.sh: build the load tool with 'bin/perf.sh build' to list the scenarios with their descriptions" >&2
  exit 0
fi
sources=("$root/pom.xml" "$root/perf/pom.xml" "$root/perf/src/main")
[ "$1" != micro ] || sources=("$root"/pom.xml "$root"/*/pom.xml "$root"/*/src/main) # the benchmarks run the broker's code in the tool
if [ ! -f "$stamp" ] || { [ "$1" != list ] && [ "$1" != --list ]; } && [ -n "$(find "${sources[@]}" -newer "$stamp" -print -quit)" ]; then
  command -v mvn >/dev/null || fail "cannot build the load tool: 'mvn' is not installed or not in PATH; install Maven 3.8 or newer"
  echo "perf.sh: building the load tool" >&2
  mkdir -p "$root/perf/target"
  touch "$root/perf/target/building"
  (cd "$root" && mvn -B -q -DskipTests package dependency:build-classpath -pl perf -am -Dmdep.includeScope=runtime -Dmdep.outputFile=target/classpath.txt) >&2 || exit 2
  mv "$root/perf/target/building" "$stamp"
fi
[ "$1" != build ] || exit 0

tool=(java -Xms256m -XX:MaxRAMPercentage=30 -XX:+UseSerialGC "-Dlogback.configurationFile=$root/perf/target/classes/logback.xml" -cp "$root/perf/target/classes:$(cat "$root/perf/target/classpath.txt")"
  io.fjordmq.perf.tool.PerfTool "$root" "$here" "$@")

# Brokers that a run starts use their own network namespace, where loopback uses the congestion control "cubic",
# because the default of some kernels paces loopback traffic. A running broker (--hosts) stays in its network.
if [ "$1" = run ] && [[ " $* " != *' --hosts '* ]]; then
  if command -v unshare >/dev/null && command -v ip >/dev/null && unshare -n true 2>/dev/null; then
    exec unshare -n bash -c '
      ip link set lo up
      for net in 127.0.0.1 127.0.0.0/8; do
        ip route replace local "$net" dev lo table local proto kernel scope host src 127.0.0.1 congctl cubic
      done
      exec "$@"
    ' perf "${tool[@]}"
  fi
  echo "perf.sh: cannot create a network namespace; using the loopback interface of this host" >&2
fi
exec "${tool[@]}"
