#!/usr/bin/env bash
# The load tool: puts one of the known loads on a broker and writes a report. docs/PERFORMANCE.md explains the figures.
set -euo pipefail

usage() {
  cat <<'TEXT'
bin/perf.sh --list                       the scenarios there are
bin/perf.sh run SCENARIO [OPTIONS]       starts FjordMQ, runs the scenario, writes a page and its figures as JSON
bin/perf.sh compare A.json B.json        two reports next to each other
bin/perf.sh build                        builds the load tool if its sources are newer, as run does
bin/perf.sh micro [NAME…] [OPTIONS]      single parts of FjordMQ, without a network: decode, route-match, encode, fan-out,
                                         inbox-append, range-apply; prints JMH's table, writes its JSON

  --scale 0.1            a tenth of the clients, for a machine that is too small for all
  --seconds N            how long is measured (60); --warm N: how long before that (15)
  --out DIR              where the report goes (./perf-reports)
  --broker NAME          fjordmq (default) or mosquitto; both, if given twice, in turn
  --runs N               so many times each
  --hosts HOST:PORT,…    a broker of any make that runs already, instead of starting one
  --pids PID,…           its processes, if they are of this machine: for its CPU and memory
  --remote               yes, the load may go to other machines than this one
  --client-cert FILE --client-key FILE   for mutual TLS with a given broker
  --without WORD         leave out what the scenario needs and cannot have here: users, node-limits
  --threads N            event loops of the load (as many as processors)

  of micro: --forks N    JVMs that each is measured in (1); --iterations N: how often in each (5), after as many to warm up;
                         --seconds N: how long each takes (1); --out DIR: as above

Ends with 0, or 1 if messages were lost, doubled, out of order or misrouted, acknowledgements are missing, clients were refused or
disconnected, or a broker ended; or 2 if nothing, or not all, could be measured.
TEXT
}

case "${1:-}" in
  '') usage >&2; exit 2 ;;
  -h | --help | help) usage; exit 0 ;;
  run | compare | micro | build | list | --list) ;; # before anything is built for a slip of the keys
  *) echo "perf.sh: '$1' is none of run, compare, micro, --list; see --help" >&2; exit 2 ;;
esac
for word in "$@"; do
  case "$word" in -h | --help) usage; exit 0 ;; esac
done

here="$PWD"
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
command -v java >/dev/null || { echo "perf.sh: there is no 'java'; install a JDK of version 17 or newer" >&2; exit 2; }

stamp="$root/perf/target/built"
if [ ! -f "$stamp" ] && { [ "$1" = list ] || [ "$1" = --list ]; }; then
  # Building takes minutes; the names are in the files.
  sed -n 's/^\([a-z0-9_]*\): .*$/\1/p' "$root"/perf/scenarios/*.yml
  echo "perf.sh: what each of them does is listed once the load tool is built, as the first 'run' does" >&2
  exit 0
fi
sources=("$root/pom.xml" "$root/perf/pom.xml" "$root/perf/src/main")
[ "$1" != micro ] || sources=("$root"/pom.xml "$root"/*/pom.xml "$root"/*/src/main) # the broker's code runs inside the tool
if [ ! -f "$stamp" ] || { [ "$1" != list ] && [ "$1" != --list ]; } && [ -n "$(find "${sources[@]}" -newer "$stamp" -print -quit)" ]; then
  command -v mvn >/dev/null || { echo "perf.sh: 'mvn' is needed to build the load tool; install Maven 3.8 or newer" >&2; exit 2; }
  echo "perf.sh: building the load tool" >&2
  mkdir -p "$root/perf/target"
  touch "$root/perf/target/building"
  (cd "$root" && mvn -B -q -DskipTests package dependency:build-classpath -pl perf -am -Dmdep.includeScope=runtime -Dmdep.outputFile=target/classpath.txt) >&2 || exit 2
  mv "$root/perf/target/building" "$stamp"
fi
[ "$1" != build ] || exit 0

tool=(java -Xms256m -XX:MaxRAMPercentage=30 -XX:+UseSerialGC "-Dlogback.configurationFile=$root/perf/target/classes/logback.xml" -cp "$root/perf/target/classes:$(cat "$root/perf/target/classpath.txt")"
  io.fjordmq.perf.tool.PerfTool "$root" "$here" "$@")

# Brokers started for a run get a network of their own, where loopback uses the congestion control "cubic": some kernels'
# default paces it. A given broker is where it is.
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
  echo "perf.sh: no network namespace can be made here: the system's own loopback is used" >&2
fi
exec "${tool[@]}"
