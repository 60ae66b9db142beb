#!/usr/bin/env bash
# The load tool: runs load scenarios against a broker and writes reports. docs/PERFORMANCE.md explains the figures.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() {
  cat <<'TEXT'
Usage:
  bin/perf.sh run SCENARIO [OPTION]...
  bin/perf.sh targets [ROW]... [OPTION]...
  bin/perf.sh compare A.json B.json
  bin/perf.sh micro [NAME]... [OPTION]...
  bin/perf.sh record DIR SCENARIO [OPTION]...
  bin/perf.sh replay [FILE DENSITY]
  bin/perf.sh --list
  bin/perf.sh build

Runs load scenarios and benchmarks against FjordMQ, mosquitto or any other MQTT broker, checks every message and writes
reports.

Commands:
  run                    start a broker, run SCENARIO and write a report: a page with plots, and the figures as JSON
  targets                measure the rows of perf/targets.yml and show which performance targets are met. ROW is the
                         beginning of the names of rows (default: all, about 40 minutes). Rows that compare with
                         mosquitto start it as well. Print the table and write it as Markdown and JSON
  compare                print two reports side by side
  micro                  run microbenchmarks of FjordMQ without a network: decode, route-match, encode, fan-out,
                         inbox-append, range-apply (default: all); print the JMH table and write its JSON
  record                 run SCENARIO on a node with one range per store and no splits, and record the load of the
                         ranges in DIR. OPTIONs and exit code are those of run
  replay                 replay loads against the built-in split strategy and print splits, merges and balance: all
                         known loads, or a recording in FILE (docs/PLUGINS.md) with DENSITY, the maximum load of a
                         range in requests per second
  --list, list           list the scenarios and benchmarks
  build                  build the load tool if its sources are newer than the build; run, targets and micro do this

Options for run:
  --scale FACTOR         fraction of the clients to run, above 0 and at most 1, on a host that is too small for all of
                         them (default: 1)
  --seconds N            measured time in seconds (default: that of the scenario, or 60 if it sets none)
  --warm N               warm-up time in seconds before the measurement (default: 15; 0 for a cold cluster; always 0 for
                         connection scenarios; benchmarks have their own)
  --runs N               number of runs for each broker (default: 1; benchmarks have their own)
  --broker NAME          broker to start: fjordmq, mosquitto or the directory of another FjordMQ checkout (default:
                         fjordmq). Repeat the option to measure several brokers alternately
  --reuse                start each broker once, load each for a minute (or for 12 times --warm if that is less), then
                         measure them alternately. Without this option, each run starts new brokers
  --hosts HOST:PORT,...  use a running broker of any kind instead of starting one
  --pids PID,...         processes of that broker on this host, to measure their CPU and memory
  --remote               allow --hosts on other hosts
  --client-cert FILE     client certificate for mutual TLS with a running broker; requires --client-key
  --client-key FILE      private key of that certificate
  --without NAME         omit a requirement of the scenario that cannot be met here: users, redis (users are in files
                         instead) or node-limits
  --set NAME=VALUE       set a parameter of a benchmark; see --list
  --threads N            number of event loops of the load tool (default: number of processors)
  --out DIR              directory for the report (default: ./perf-reports)

Options for targets:
  --broker NAME          as for run; repeat the option for one line per broker
  --runs N               number of measured runs (default: 3). Brokers run at the same time and are loaded alternately
  --seconds N            measured time (default: 8; benchmarks have their own)
  --warm N               warm-up time before each run (default: 5; benchmarks have their own)
  --out DIR              directory for the table (default: ./perf-reports)

Options for micro:
  --forks N              number of JVMs for each benchmark (default: 1)
  --iterations N         measured iterations in each JVM, after as many for warm-up (default: 5)
  --seconds N            duration of an iteration (default: 1)
  --out DIR              directory for the JSON file (default: ./perf-reports)

Other options:
  -h, --help             print this help
  --version              print the version

Environment:
  JAVA_HOME              JDK for the tool (default: java in PATH). Java 25 and newer save memory in the benchmark
                         'sessions' with compact object headers, which bin/standalone.sh enables as well

Examples:
  bin/perf.sh run true_2k_2k_qos1_p32_100mps_1n --scale 0.05
  bin/perf.sh run pairs_clean_qos1_p256 --broker fjordmq --broker mosquitto --reuse --runs 5
  bin/perf.sh run true_50_50_qos1_p64_10mps_1n --hosts 127.0.0.1:1883 --pids 4711
  bin/perf.sh run mobile_device_0.1M_2n_backend --scale 0.1 --seconds 120
  bin/perf.sh run logins --set provider=redis
  bin/perf.sh run tls-storm --set rate=200 --set key=rsa
  bin/perf.sh targets ordinary
  bin/perf.sh targets three-nodes connects
  bin/perf.sh record recorded few_inboxes_1n --seconds 75
  bin/perf.sh micro route-match inbox-append

Exit codes:
  0   success
  1   messages were lost, duplicated, reordered or misrouted, acknowledgements are missing, clients were refused or
      disconnected, or a broker exited
  2   invalid usage, or some or all measurements failed
TEXT
}

command="${1:-}"
case "$command" in
  '') usage >&2; exit 2 ;;
  -h | --help | help) usage; exit 0 ;;
  --version) version; exit 0 ;;
  --list) command=list ;;
  run | targets | compare | micro | record | replay | build | list) ;;
  *) fail "unknown command '$1'; must be run, targets, compare, micro, record, replay, build or --list; see --help" ;; # before anything is built
esac
for word in "$@"; do
  case "$word" in -h | --help) usage; exit 0 ;; esac
done
shift

here="$PWD"
root="$HOME_DIR"
java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
command -v "$java" >/dev/null || fail "'$java' is not installed or not in PATH; install a JDK 17 or newer"

case "$command" in
  record)
    [ $# -ge 2 ] || fail "record requires a directory and a scenario; see --help"
    mkdir -p "$1" || exit 2
    recordings="$(cd "$1" && pwd)"
    shift
    ;;
  replay)
    [ $# -eq 0 ] || [ $# -eq 2 ] || fail "replay takes either no arguments or FILE and DENSITY; see --help"
    [ $# -eq 0 ] || [ -r "$1" ] || fail "cannot read recording '$1': it does not exist or is not readable"
    [ $# -eq 0 ] || [[ "$2" =~ ^[1-9][0-9]{0,8}$ ]] || fail "DENSITY must be a number of requests per second above 0, not '$2'"
    (cd "$root" && mvn -B -q test-compile dependency:build-classpath -pl range-store -am -Dmdep.outputFile=target/test-classpath.txt) >&2 || exit 2
    exec "$java" -cp "$root/range-store/target/test-classes:$root/range-store/target/classes:$(cat "$root/range-store/target/test-classpath.txt")" \
      io.fjordmq.range.load.SplitReplay "$@"
    ;;
esac

stamp="$root/perf/target/built"
sources=("$root/pom.xml" "$root/perf/pom.xml" "$root"/{perf,test-support}/src/main)
goals=(package dependency:build-classpath -Dmdep.includeScope=runtime -Dmdep.outputFile=target/classpath.txt)
if [ "$command" = micro ]; then # the benchmarks are among the tests and run the broker's code in the tool
  stamp="$root/perf/target/built-micro"
  sources=("$root"/pom.xml "$root"/*/pom.xml "$root"/*/src)
  goals=(test-compile dependency:build-classpath -Dmdep.outputFile=target/test-classpath.txt)
fi
if [ ! -f "$stamp" ] && [ "$command" = list ]; then
  # A build takes minutes, and the names are in the files.
  sed -n 's/^\([A-Za-z0-9_.-]*\):.*$/\1/p' "$root"/perf/scenarios/*.yml \
    "$root/perf/src/main/resources/io/fjordmq/perf/benchmark/benchmarks.yml"
  echo "perf.sh: build the load tool with 'bin/perf.sh build' to list the scenarios with their descriptions" >&2
  exit 0
fi
if [ ! -f "$stamp" ] || { [ "$command" != list ] && [ -n "$(find "${sources[@]}" -newer "$stamp" -print -quit)" ]; }; then
  command -v mvn >/dev/null || fail "cannot build the load tool: 'mvn' is not installed or not in PATH; install Maven 3.8 or newer"
  echo "perf.sh: building the load tool" >&2
  mkdir -p "$root/perf/target"
  touch "$root/perf/target/building"
  (cd "$root" && mvn -B -q -DskipTests "${goals[@]}" -pl perf -am) >&2 || exit 2
  mv "$root/perf/target/building" "$stamp"
fi
[ "$command" != build ] || exit 0

if [ "$command" = record ]; then
  command=run
  plugins="$(mktemp -d)"
  trap 'rm -rf "$plugins"' EXIT
  cp "$root"/perf/target/perf-*.jar "$plugins/load-recorder.jar"
  export FJORDMQ_SECURITYCONFIG__PLUGINDIR="$plugins" FJORDMQ_SPLITCONFIG__STRATEGY=load-recorder
  export FJORDMQ_PLUGINS__LOAD_RECORDER__DIRECTORY="$recordings"
  export FJORDMQ_INBOXCONFIG__INITIALRANGES=1 FJORDMQ_ROUTERCONFIG__INITIALRANGES=1 FJORDMQ_RETAINCONFIG__INITIALRANGES=1
fi

jvm=(-Xms256m -XX:MaxRAMPercentage=30 -XX:+UseSerialGC)
if [ "$command ${1:-}" = 'run sessions' ]; then # the broker runs in the tool's process
  jvm=(-Xmx4g -Xmn256m -XX:+UseSerialGC -Dcom.google.protobuf.use_unsafe_pre22_gencode=true --enable-native-access=ALL-UNNAMED)
  ! "$java" -XX:+UseCompactObjectHeaders -version >/dev/null 2>&1 || jvm+=(-XX:+UseCompactObjectHeaders)
fi
jvm+=("-Dlogback.configurationFile=$root/perf/target/classes/logback.xml")
if [ "$command" = micro ]; then
  exec "$java" "${jvm[@]}" -cp "$root/perf/target/test-classes:$root/perf/target/classes:$(cat "$root/perf/target/test-classpath.txt")" \
    io.fjordmq.perf.tool.MicroCommand "$root" "$here" "$@"
fi
tool=("$java" "${jvm[@]}" -cp "$root/perf/target/classes:$(cat "$root/perf/target/classpath.txt")"
  io.fjordmq.perf.tool.PerfTool "$root" "$here" "$command" "$@")

# Brokers that a run starts use their own network namespace, where loopback uses the congestion control "cubic",
# because the default of some kernels paces loopback traffic. A running broker (--hosts) stays in its network.
if [ "$command" = targets ] || { [ "$command" = run ] && [[ " $* " != *' --hosts '* ]]; }; then
  if command -v unshare >/dev/null && command -v ip >/dev/null && unshare -n true 2>/dev/null; then
    tool=(unshare -n bash -c '
      ip link set lo up
      for net in 127.0.0.1 127.0.0.0/8; do
        ip route replace local "$net" dev lo table local proto kernel scope host src 127.0.0.1 congctl cubic
      done
      exec "$@"
    ' perf "${tool[@]}")
  else
    echo "perf.sh: cannot create a network namespace; using the loopback interface of this host" >&2
  fi
fi
[ -z "${plugins:-}" ] || { code=0; "${tool[@]}" || code=$?; exit "$code"; } # keeps the trap
exec "${tool[@]}"
