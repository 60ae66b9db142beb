#!/usr/bin/env bash
# Starts and stops a FjordMQ node: bin/standalone.sh --help
set -Eeuo pipefail
trap 'printf "fjordmq: line %s of standalone.sh failed; please report it\n" "$LINENO" >&2' ERR

HOME_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
OUT_DIR="$HOME_DIR/broker-server/target/fjordmq"
ANSWER_SECONDS="${FJORDMQ_ANSWER_SECONDS:-10}" # for each line of an answer of the node; a cluster waits this long for its slowest node

usage() {
  cat <<'HELP'
bin/standalone.sh start|stop|restart|status|run [-c FILE] [-d DIR] [--drain] [--alone]
bin/standalone.sh check [-c FILE] [-d DIR]
bin/standalone.sh build
bin/standalone.sh voters [STORE=NUMBER]... | remove-node ID | leave | split RANGE | merge RANGE | cancel RANGE | rebuild RANGE | lower-clock RANGE [-c FILE] [-d DIR]

  start     builds if there is no build or sources are newer, starts a node in the background and returns when
            clients can connect; says on which ports. Does nothing if the node runs already. With --alone the
            node goes on without the other nodes of its cluster, which are gone for good: what only they stored is lost
  stop      asks the node to end (clients are told, state is flushed) and waits until it has; with --drain it first
            gives away to other nodes of its cluster what it leads, then its clients, some at a time
  restart   stop, then start
  status    whether it runs and is ready, its process id, ports and uptime; the nodes and ranges of its cluster
  run       starts in the foreground, logging to the terminal; Ctrl-C ends it
  check     checks the configuration and every file it names, reports all errors, starts nothing
  build     builds as start does, and starts nothing

Of the cluster, at any of its nodes that runs, as the user it runs as:

  voters STORE=NUMBER...  how many copies of each range of dist, inbox or retain vote, 1 to 5; without arguments: says so
  remove-node ID          takes a node that is down and gone for good out of the cluster; status shows the ids
  leave                   this node goes for good: gives away all it has, stops, and belongs to the cluster no more
  split RANGE             cuts a range in two where its load of the last seconds, or if it is idle its size, is halved; status shows the ranges
  merge RANGE             makes a range and the one that follows it one
  cancel RANGE            gives up a merge of the range, or a move of its votes because of the load, that status shows as pending
  rebuild RANGE           replaces this node's replica of the range by an empty one that fetches a copy from the others
  lower-clock RANGE       sets the clock of a range that is ahead back to the cluster's time; status shows which are

  -c FILE   configuration; default conf/standalone.yml
  -d DIR    keep data in DIR/data and logs in DIR/logs, whatever the configuration says

Several nodes on one machine: one FILE with its own ports, and one DIR, for each.

Environment: JAVA_HOME or FJORDMQ_JAVA=/path/to/java (default: the newest Java found, 17 at least);
FJORDMQ_JVM_OPTS adds to the options of the JVM, e.g. "-Xmx4g"; FJORDMQ_START_SECONDS (120) and
FJORDMQ_STOP_SECONDS (60; 600 with --drain and leave) bound the waiting; FJORDMQ_SECTION__KEY=VALUE sets any configuration key.

The node creates its data and log directories with mode 0700 and files with mode 0600. Every command must run as the
user the node runs as.

Exit codes: 0 done, or it is so already; 1 failed, the reason is printed; 2 wrong usage or configuration;
status: 0 running and ready, 1 running but not ready, 3 not running; voters, remove-node, leave, split, merge, cancel, rebuild, lower-clock: 3 not running.
HELP
}

say() { printf '%s\n' "fjordmq: $*"; }
die() { printf '%s\n' "fjordmq: $1" >&2; exit "${2:-1}"; }

# --- where things are ------------------------------------------------------------------------------------------

absolute() {
  case "$1" in
    /*) printf '%s' "$1" ;;
    *) printf '%s' "${2:-$PWD}/$1" ;;
  esac
}

# A top-level key of the configuration file, or its default ($2). Comments and quotes go.
file_value() {
  local value
  value="$(sed -n "/^$1:/{s/^$1:[[:space:]]*//p;q;}" "$CONFIG" | sed -e 's/[[:space:]]*#.*$//' -e 's/[[:space:]]*$//' \
    -e "s/^[\"']\(.*\)[\"']\$/\1/")"
  printf '%s' "${value:-$2}"
}

locate() {
  [ -f "$CONFIG" ] || die "there is no configuration file $CONFIG; name one with -c" 2
  case "${FJORDMQ_JVM_OPTS:-}" in
    *-DdataDir=* | *-DlogDir=*) die "set dataDir and logDir in the file, by -d, or as FJORDMQ_DATADIR and FJORDMQ_LOGDIR" 2 ;;
  esac
  if [ -n "$BASE" ]; then
    DATA_DIR="$BASE/data"
    LOG_DIR="$BASE/logs"
  else
    DATA_DIR="$(absolute "${FJORDMQ_DATADIR:-$(file_value dataDir data)}" "$HOME_DIR")"
    LOG_DIR="$(absolute "${FJORDMQ_LOGDIR:-$(file_value logDir logs)}" "$HOME_DIR")"
  fi
  LOCK_FILE="$DATA_DIR/lock" # written by the process that holds the data directory: its number
  READY_FILE="$DATA_DIR/fjordmq.pid" # there once clients can connect: number, start, addresses
  require_access
}

owner() { # of the file or directory $1
  local name
  # GNU, then BSD. The words of an ls line would do, too, but names may have blanks.
  name="$(stat -c %U "$1" 2>/dev/null || stat -f %Su "$1" 2>/dev/null || true)"
  printf '%s' "${name:-another user}"
}

# Without this, a node of another user looks like one that is not running.
require_access() {
  local wanted existing allowed
  for wanted in "$DATA_DIR" "$LOG_DIR"; do
    existing="$wanted"
    until [ -e "$existing" ]; do existing="$(dirname "$existing")"; done
    [ -d "$existing" ] || continue
    allowed=no
    [ -x "$existing" ] && { [ "$existing" != "$wanted" ] || { [ -r "$wanted" ] && [ -w "$wanted" ]; }; } && allowed=yes
    [ "$allowed" = yes ] || die "user $(id -un) may not use $wanted, since $existing belongs to $(owner "$existing"): run this command as that user, or name another directory with -d"
  done
}

alive() { # the process $1, of any user
  kill -0 "$1" 2>/dev/null || ps -p "$1" >/dev/null 2>&1
}

# --- the node that runs ----------------------------------------------------------------------------------------

# Prints the process id of the node of this data directory; fails if it does not run.
running() {
  local pid command data
  [ -s "$LOCK_FILE" ] || return 1
  read -r pid <"$LOCK_FILE" || true
  case "$pid" in '' | *[!0-9]*) return 1 ;; esac
  alive "$pid" || return 1
  # The number may belong to another process by now.
  if [ -r "/proc/$pid/cmdline" ]; then
    command="$(tr '\0' ' ' <"/proc/$pid/cmdline")"
  else
    command="$(ps -p "$pid" -o args= 2>/dev/null || true)"
  fi
  case "$command" in
    *io.fjordmq.broker.Main*) ;;
    *) return 1 ;;
  esac
  # … even to another node: in containers numbers are small and come back.
  data="$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | sed -n 's/^FJORDMQ_DATADIR=//p' || true)"
  [ -z "$data" ] || [ "$data" = "$DATA_DIR" ] || return 1
  printf '%s' "$pid"
}

ready_value() { sed -n "/^$1=/{s/^$1=//p;q;}" "$READY_FILE" 2>/dev/null || true; }

is_ready() { # the process $1
  local pid=''
  [ -s "$READY_FILE" ] && read -r pid <"$READY_FILE" && [ "$pid" = "$1" ]
}

ports() { sed -n 's/^\(mqtt\|http\)=//p' "$READY_FILE" 2>/dev/null | paste -s -d ' ' -; }

# Asks for the page $1; prints the body, fails unless the status is 200 and the answer came in time. Without curl: bash can
# open sockets. A frozen process still has the kernel accept connections, so every read is limited.
page() {
  local url host port answer
  url="$(ready_value http)"
  host="${url#http://}"; port="${host##*:}"; host="${host%:*}"
  case "$host" in 0.0.0.0 | '[::]') host=127.0.0.1 ;; esac
  host="${host#[}"; host="${host%]}"
  answer="$(
    exec 3<>"/dev/tcp/$host/$port" 2>/dev/null || exit 0
    printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$1" >&3
    while IFS= read -r -t "$ANSWER_SECONDS" line <&3 || [ -n "$line" ]; do printf '%s\n' "$line"; done
  )" 2>/dev/null || true
  [ -n "$answer" ] || { printf 'no answer from %s%s within %s s' "$url" "$1" "$ANSWER_SECONDS"; return 1; }
  printf '%s\n' "$answer" | tr -d '\r' | sed '1,/^$/d'
  case "${answer%%$'\n'*}" in *' 200 '*) ;; *) return 1 ;; esac
}

# --- build -----------------------------------------------------------------------------------------------------

build_if_needed() {
  local stamp="$OUT_DIR/built" newer
  [ -d "$HOME_DIR/broker-server/src" ] || return 0
  if [ -f "$stamp" ]; then
    newer="$(find "$HOME_DIR"/pom.xml "$HOME_DIR"/*/pom.xml "$HOME_DIR"/*/src/main "$HOME_DIR"/.mvn \
      -path "$HOME_DIR/perf/*" -prune -o -type f -newer "$stamp" -print -quit 2>/dev/null || true)"
    [ -n "$newer" ] || return 0
  fi
  command -v mvn >/dev/null || die "there is no build yet and no 'mvn' to make one; install Maven 3.8 or newer"
  say "building (a first build loads its libraries and takes some minutes)"
  rm -rf "$OUT_DIR"
  mkdir -p "$OUT_DIR"
  touch "$OUT_DIR/building" # sources changed during the build are newer than it
  (cd "$HOME_DIR" && mvn -B -q -DskipTests package -pl broker-server -am) >&2 || die "the build failed; see above"
  mv "$OUT_DIR/building" "$stamp"
}

# --- Java ------------------------------------------------------------------------------------------------------

java_version() { # of the java program $1; the release file saves a start of the JVM
  local home version
  home="$(cd "$(dirname "$(readlink -f "$1")")/.." && pwd)"
  # Up to Java 8 the major version is the second number: 1.8.0_402.
  version="$(sed -n 's/^JAVA_VERSION="\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' "$home/release" 2>/dev/null || true)"
  [ -n "$version" ] || version="$("$1" -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' || true)"
  printf '%s' "${version:-0}"
}

choose_java() {
  local candidate version
  JAVA='' JAVA_VERSION=0
  if [ -n "${FJORDMQ_JAVA:-}" ]; then
    [ -x "$FJORDMQ_JAVA" ] || die "FJORDMQ_JAVA=$FJORDMQ_JAVA cannot be executed; name the java executable of a JDK" 2
    JAVA="$FJORDMQ_JAVA"
    JAVA_VERSION="$(java_version "$JAVA")"
  else
    for candidate in "${JAVA_HOME:-/none}/bin/java" "$(command -v java || true)" /usr/lib/jvm/*/bin/java \
      /opt/java/*/bin/java; do
      [ -x "$candidate" ] || continue
      version="$(java_version "$candidate")"
      if [ "$version" -gt "$JAVA_VERSION" ]; then
        JAVA="$candidate" JAVA_VERSION="$version"
      fi
    done
  fi
  [ -n "$JAVA" ] || die "there is no Java; install a JDK of version 17 or newer, or set JAVA_HOME"
  [ "$JAVA_VERSION" -ge 17 ] || die "$JAVA is Java $JAVA_VERSION; FjordMQ needs 17 or newer"
}

# How many MiB of memory this node may have: what the machine has, or less if a control group says so (Linux, version 1 or 2).
memory_mib() {
  local least controllers path folder file limit
  least="$(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo 2>/dev/null || true)"
  least=$((${least:-1048576000} / 1024))
  while IFS=: read -r _ controllers path; do
    case ",$controllers," in
      ,,) folder=/sys/fs/cgroup file=memory.max ;;
      *,memory,*) folder=/sys/fs/cgroup/memory file=memory.limit_in_bytes ;;
      *) continue ;;
    esac
    # A group is limited by those above it, too. In a container some of the path may not be there; then what is there counts.
    while true; do
      limit="$(cat "$folder${path%/}/$file" 2>/dev/null || true)"
      case "$limit" in
        '' | *[!0-9]*) ;; # no such file, or "max"
        *) [ "${#limit}" -ge 19 ] || [ $((limit / 1048576)) -ge "$least" ] || least=$((limit / 1048576)) ;;
      esac
      [ "${path%/}" ] || break
      path="${path%/*}"
    done
  done < <(cat /proc/self/cgroup 2>/dev/null || true)
  printf '%s' "$least"
}

between() { printf '%s' $(($3 < $1 ? $1 : $3 > $2 ? $2 : $3)); } # $3, but $1 at least and $2 at most

jvm_options() {
  local archive memory
  # Beside the build, where all nodes of this user share it. A user who may not write there keeps one with the data.
  archive="$OUT_DIR/classes-$JAVA_VERSION.jsa"
  if [ ! -w "$OUT_DIR" ] || { [ -e "$archive" ] && [ ! -r "$archive" ]; }; then
    archive="$DATA_DIR/classes-$JAVA_VERSION.jsa"
  fi
  # The rest is for what is in no heap: the database, code, threads, the system's file cache.
  memory="$(memory_mib)"
  OPTIONS=(
    -Xms32m "-Xmx$(between 64 1024 $((memory * 2 / 5)))m" "-XX:MaxDirectMemorySize=$(between 32 1024 $((memory / 5)))m" -Xss512k
    -XX:+ExitOnOutOfMemoryError "-XX:ErrorFile=$LOG_DIR/hs_err_%p.log"
    -Dfile.encoding=UTF-8
    # Sampled stack traces of buffers; the tests look for leaks in every one of them.
    -Dio.netty.leakDetection.level=disabled
    # sofa-jraft's messages were generated by an old protobuf compiler, which the runtime has to be told.
    -Dcom.google.protobuf.use_unsafe_pre22_gencode=true
    "-Dlogback.configurationFile=$HOME_DIR/conf/logback.xml"
  )
  case "${FJORDMQ_JVM_OPTS:-}" in
    *-XX:+Use*GC*) ;;
    # The least CPU and memory for a small heap; with gigabytes of live data choose another, see docs/CONFIGURATION.md.
    *) OPTIONS+=(-XX:+UseSerialGC) ;;
  esac
  # Classes parsed and linked once, kept when the first node ends: later starts are much faster.
  if [ "$JAVA_VERSION" -ge 19 ]; then
    OPTIONS+=(-XX:+AutoCreateSharedArchive "-XX:SharedArchiveFile=$archive")
  elif [ -f "$archive" ]; then
    OPTIONS+=("-XX:SharedArchiveFile=$archive" -Xshare:auto)
  else
    OPTIONS+=("-XX:ArchiveClassesAtExit=$archive")
  fi
  # The archive only saves time: a JVM that cannot use or write it goes on without. Its remarks would stand in front of
  # every message that matters.
  OPTIONS+=(-Xlog:disable -Xlog:all=error:stderr "-Xlog:cds*=off:stderr")
  [ "$JAVA_VERSION" -lt 24 ] || OPTIONS+=("-Xlog:aot*=off:stderr")
  [ "$JAVA_VERSION" -lt 22 ] || OPTIONS+=(--enable-native-access=ALL-UNNAMED)
  [ "$JAVA_VERSION" -lt 23 ] || OPTIONS+=(--sun-misc-unsafe-memory-access=allow)
  [ "$JAVA_VERSION" -lt 25 ] || OPTIONS+=(-XX:+UseCompactObjectHeaders)
  # shellcheck disable=SC2206 # options are separated by blanks
  OPTIONS+=(${FJORDMQ_JVM_OPTS:-})
}

prepare() {
  build_if_needed
  choose_java
  umask 077 # after the build, which other users may run
  mkdir -p "$DATA_DIR" "$LOG_DIR" || die "cannot create $DATA_DIR and $LOG_DIR as user $(id -un); see above"
  jvm_options
  export FJORDMQ_DATADIR="$DATA_DIR" FJORDMQ_LOGDIR="$LOG_DIR"
  # sofa-jraft takes SIGUSR2 for itself, by which the JVM suspends threads: without another signal Flight Recorder loses most
  # of its samples. Any real-time signal does.
  export _JAVA_SR_SIGNUM="${_JAVA_SR_SIGNUM:-50}"
  COMMAND=("$JAVA" "${OPTIONS[@]}" -cp "$OUT_DIR/lib/*" io.fjordmq.broker.Main -c "$CONFIG")
}

# --- commands --------------------------------------------------------------------------------------------------

start() {
  local pid deadline console
  if pid="$(running)"; then
    say "already running: pid $pid, $(ports)"
    return 0
  fi
  [ "$ALONE" = no ] || [ -s "$DATA_DIR/node.id" ] \
    || die "--alone is for a node that belongs to a cluster already; there is none in $DATA_DIR"
  prepare
  rm -f "$READY_FILE" "$DATA_DIR/alone"
  [ "$ALONE" = no ] || : >"$DATA_DIR/alone" # the node looks for it at this start
  console="$LOG_DIR/console.log"
  cd "$HOME_DIR"
  keep_console "$console"
  nohup "${COMMAND[@]:0:1}" -Dfjordmq.console=OFF "${COMMAND[@]:1}" >>"$console" 2>&1 </dev/null &
  pid=$!
  deadline=$((SECONDS + ${FJORDMQ_START_SECONDS:-120}))
  until is_ready "$pid"; do
    if ! kill -0 "$pid" 2>/dev/null; then
      failed "$pid" "$console"
    fi
    if [ "$SECONDS" -ge "$deadline" ]; then
      tail -n 20 "$LOG_DIR/fjordmq.log" >&2 || true
      die "not ready after ${FJORDMQ_START_SECONDS:-120} s (pid $pid goes on trying); the last lines of $LOG_DIR/fjordmq.log stand above"
    fi
    sleep 0.05
  done
  disown "$pid" 2>/dev/null || true
  say "running: pid $pid, $(ports), log $LOG_DIR/fjordmq.log"
}

# What the JVM and plugins print goes to $1. Starts append to it; the previous one is kept once it is large.
keep_console() {
  local size
  size="$([ ! -f "$1" ] || wc -c <"$1")"
  [ "${size:-0}" -lt 10485760 ] || mv -f "$1" "$1.1"
  printf '%s starting as user %s\n' "$(date '+%Y-%m-%dT%H:%M:%S%z')" "$(id -un)" >>"$1"
}

failed() { # the process $1 ended at start; $2 is what it printed
  local code=0
  wait "$1" || code=$?
  # Only the lines of this start.
  sed -n '/ starting as user /{h;d;};H;${x;s/^[^\n]*\n//;p;}' "$2" | tail -n 20 >&2
  die "the node ended at start; more may stand in $LOG_DIR/fjordmq.log" "$([ "$code" -eq 2 ] && echo 2 || echo 1)"
}

check() {
  build_if_needed
  choose_java
  export FJORDMQ_DATADIR="$DATA_DIR" FJORDMQ_LOGDIR="$LOG_DIR"
  cd "$HOME_DIR"
  exec "$JAVA" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 $([ "$JAVA_VERSION" -lt 22 ] || echo --enable-native-access=ALL-UNNAMED) \
    $([ "$JAVA_VERSION" -lt 23 ] || echo --sun-misc-unsafe-memory-access=allow) -cp "$OUT_DIR/lib/*" io.fjordmq.broker.Main --check -c "$CONFIG"
}

run() {
  local pid
  if pid="$(running)"; then
    die "already running: pid $pid"
  fi
  prepare
  cd "$HOME_DIR"
  exec "${COMMAND[@]}"
}

stop() {
  local pid deadline patience
  if ! pid="$(running)"; then
    say "not running"
    return 0
  fi
  patience="${FJORDMQ_STOP_SECONDS:-60}"
  if [ "$DRAIN" = yes ]; then
    : >"$DATA_DIR/drain" # the node looks for it when it is asked to end
    patience="${FJORDMQ_STOP_SECONDS:-600}"
  fi
  kill "$pid" 2>/dev/null || ! alive "$pid" \
    || die "user $(id -un) may not stop pid $pid: run this command as $(owner "/proc/$pid")"
  deadline=$((SECONDS + patience))
  while alive "$pid"; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      die "pid $pid has not ended after $patience s; see $LOG_DIR/fjordmq.log (kill -9 $pid loses nothing acknowledged)"
    fi
    sleep 0.05
  done
  say "stopped: pid $pid"
  if grep -qs '^fjordmq: ended, but' "$LOG_DIR/console.log"; then
    say "$(sed -n 's/^fjordmq: \(ended, but\)/it \1/p' "$LOG_DIR/console.log"); see $LOG_DIR/fjordmq.log (nothing acknowledged is lost)" >&2
  fi
}

status() {
  local pid seconds answer code=0
  if ! pid="$(running)"; then
    say "not running (data in $DATA_DIR)"
    return 3
  fi
  if ! is_ready "$pid"; then
    say "starting: pid $pid, data in $DATA_DIR"
    return 1
  fi
  seconds=$(($(date +%s) - $(ready_value since)))
  answer="$(page /readyz)" || code=1
  say "running: pid $pid, $(ports), up $((seconds / 86400))d $((seconds / 3600 % 24))h $((seconds / 60 % 60))m $((seconds % 60))s"
  say "readiness: $(printf '%s' "$answer" | paste -s -d ' ' -)"
  case "$answer" in
    'no answer from '*) say "the process does not respond; $LOG_DIR/fjordmq.log may say why, 'kill -9 $pid' loses nothing acknowledged" ;;
    *) page /status || true ;;
  esac
  return "$code"
}

# --- commands of the cluster -----------------------------------------------------------------------------------

# Asks the node by a file: only its owner can enter the folder. Prints the answer; returns its exit code.
control() {
  local pid folder="$DATA_DIR/control" name="$$-$RANDOM" deadline code=1
  pid="$(running)" || { printf 'not running (data in %s)' "$DATA_DIR"; return 3; }
  is_ready "$pid" || { printf 'still starting: pid %s' "$pid"; return 1; }
  [ -w "$folder" ] && [ -x "$folder" ] || { printf 'this user may not write to %s: ask as the user the node runs as' "$folder"; return 1; }
  printf '%s\n' "$*" >"$folder/$name.new"
  chmod 644 "$folder/$name.new"
  mv "$folder/$name.new" "$folder/$name.request"
  deadline=$((SECONDS + 60))
  until [ -e "$folder/$name.answer" ]; do
    if ! kill -0 "$pid" 2>/dev/null || [ "$SECONDS" -ge "$deadline" ]; then
      rm -f "$folder/$name.request"
      printf 'pid %s did not answer; see %s' "$pid" "$LOG_DIR/fjordmq.log"
      return 1
    fi
    sleep 0.1
  done
  { read -r code; cat; } <"$folder/$name.answer"
  rm -f "$folder/$name.answer"
  return "$code"
}

ask() { # a command and its words
  local answer code=0
  answer="$(control "$@")" || code=$?
  [ "$code" -eq 0 ] || die "$answer" "$code"
  say "$answer"
}

leave() {
  local answer code said='' deadline
  deadline=$((SECONDS + ${FJORDMQ_STOP_SECONDS:-600}))
  while true; do
    code=0
    answer="$(control leave)" || code=$?
    [ "$code" -eq 75 ] || break # not yet
    [ "$answer" = "$said" ] || say "$answer"
    said="$answer"
    [ "$SECONDS" -lt "$deadline" ] || die "others have not taken everything yet; the node runs on. Ask again, or 'restart' to stay"
    sleep 1
  done
  [ "$code" -eq 0 ] || die "$answer" "$code"
  DRAIN=yes
  stop
  say "it has left the cluster for good; to join again as a new node, start with an empty data directory ($DATA_DIR)"
}

# --- arguments -------------------------------------------------------------------------------------------------

ACTION="${1:-}"
[ $# -eq 0 ] || shift
CONFIG="$HOME_DIR/conf/standalone.yml"
BASE=''
DRAIN=no
ALONE=no
WORDS=()
while [ $# -gt 0 ]; do
  case "$1" in
    -c | -d) [ $# -ge 2 ] || die "$1 needs a value; see --help" 2 ;;
    --drain) [ "$ACTION" = stop ] || [ "$ACTION" = restart ] || die "--drain goes with stop and restart" 2 ;;
    --alone) [ "$ACTION" = start ] || die "--alone goes with start" 2 ;;
    -h | --help) usage; exit 0 ;;
    -*) die "unknown option '$1'; see --help" 2 ;;
    *)
      case "$ACTION" in voters | remove-node | split | merge | cancel | rebuild | lower-clock) WORDS+=("$1") ;; *) die "unknown option '$1'; see --help" 2 ;; esac
      ;;
  esac
  case "$1" in
    -c) CONFIG="$(absolute "$2")"; shift ;;
    -d) BASE="$(absolute "$2")"; shift ;;
    --drain) DRAIN=yes ;;
    --alone) ALONE=yes ;;
  esac
  shift
done

case "$ACTION" in
  voters | remove-node | split | merge | cancel | rebuild | lower-clock)
    [ "$ACTION" = voters ] || [ ${#WORDS[@]} -eq 1 ] || die "$ACTION needs one name, which status shows; see --help" 2
    locate
    ask "$ACTION" ${WORDS[@]+"${WORDS[@]}"}
    ;;
  leave) locate; leave ;;
  status) locate; status || exit ;; # that a node is not there is an answer, not a defect of this script
  start | stop | run | check) locate; "$ACTION" ;;
  build) build_if_needed ;;
  restart) locate; stop; start ;;
  -h | --help | help) usage ;;
  '') usage >&2; exit 2 ;;
  *) die "unknown command '$ACTION'; see --help" 2 ;;
esac
