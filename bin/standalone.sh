#!/usr/bin/env bash
# Starts, stops and administers a FjordMQ node: bin/standalone.sh --help
set -Eeuo pipefail
trap 'printf "fjordmq: internal error at line %s of standalone.sh; please report it\n" "$LINENO" >&2' ERR
case "${BASH_SOURCE[0]}" in */*) . "${BASH_SOURCE[0]%/*}/lib.sh" ;; *) . ./lib.sh ;; esac
. "$HOME_DIR/bin/memory.sh"

AOT_VERSION=25 # first Java whose AOT cache contains profiles
TRAINING_SECONDS=8
# Timeout for each line of an HTTP response; long enough for a cluster status that waits for its slowest node.
RESPONSE_SECONDS="${FJORDMQ_RESPONSE_SECONDS:-10}"

usage() {
  cat <<'HELP'
Usage: bin/standalone.sh COMMAND [ARGUMENT]... [OPTION]...

Starts, stops and administers a FjordMQ node on this host.

Node commands:
  start                     start the node in the background, wait until clients can connect, and print its addresses;
                            do nothing if the node is already running
  stop                      disconnect the clients, flush state, stop the node and wait until it has stopped
  restart                   stop the node, then start it
  status                    show whether the node is running and ready, its pid, addresses and uptime, and the nodes and
                            ranges of its cluster
  run                       start the node in the foreground and log to the terminal; Ctrl-C stops it
  check                     check the configuration and every file it names, and report all errors; start nothing
  build                     build FjordMQ if needed; with JDK 25 or newer, also make an AOT cache if there is none for this
                            build and JDK: run nodes in a directory of their own under load for about 45 s

In a checkout, all node commands except stop and status first build FjordMQ, with an AOT cache, if there is no build or
the sources are newer. In an installation, build only makes the cache, and no other command does. With the cache, a node
starts and warms up faster; it also starts without one.

Cluster commands, on any running node unless noted otherwise:
  voters [STORE=COUNT]...   set the number of voters per range of the stores dist, inbox and retain, 1 to 5; without
                            arguments, print the current numbers
  remove-node ID            remove a node that is down and will not return; status lists the ids
  leave                     decommission this node: move its replicas and clients to other nodes, then stop it
  split RANGE               split a range in two at the key that halves its recent load or, if it is idle, its size;
                            status lists the ranges
  merge RANGE               merge a range with the range that follows it
  cancel RANGE              cancel a pending merge of the range or a pending change of its replicas; status lists pending
                            changes and says which of them can be canceled
  rebuild RANGE             on the node that holds the replica: replace this node's replica of the range with an empty
                            one that fetches a snapshot from the other replicas
  accept-clock              confirm that the clocks of all nodes are right, and advance cluster time to them, after a
                            stop of more than membershipConfig.maxClockAdvance
  lower-clock RANGE         set the clock of a range that is ahead back to cluster time; status lists such ranges

Options:
  -c FILE                   configuration file (default: conf/standalone.yml)
  -d DIR                    store data in DIR/data and logs in DIR/logs, regardless of the configuration
  --drain                   stop, restart: first transfer leadership of the node's ranges to other nodes, then send its
                            clients there at a limited rate
  --alone                   start: continue without the other nodes of the cluster if they are permanently lost; data
                            that only those nodes stored is lost
  -h, --help                print this help
  --version                 print the version

Environment:
  FJORDMQ_JAVA              java executable to use, 17 or newer (default: the runtime of an archive with Java, else
                            the newest Java in JAVA_HOME, PATH, /usr/lib/jvm and /opt/java)
  FJORDMQ_JVM_OPTS          additional JVM options, for example "-Xmx4g"
  FJORDMQ_MEMORY            memory that the node may use, for example 4g; determines the sizes of heap, direct memory and
                            databases (default: the limit of the cgroup; without one, the memory of the host, of which
                            heap and direct memory use at most 1 GiB each)
  FJORDMQ_RESPONSE_SECONDS  time to wait for each line of an HTTP response from the node (default: 10)
  FJORDMQ_START_SECONDS     time to wait until the node is ready (default: 120)
  FJORDMQ_STOP_SECONDS      time to wait until the node has stopped (default: 60; with --drain and leave: 600)
  FJORDMQ_SECTION__KEY      value of any configuration key, for example FJORDMQ_HTTPCONFIG__PORT=18084

To run several nodes on one host, give each its own FILE with its own ports, and its own DIR.

The node creates its data and log directories with mode 0700 and files with mode 0600. Run every command as the user
that runs the node.

Examples:
  bin/standalone.sh start
  bin/standalone.sh start -c /etc/fjordmq/a.yml -d /var/lib/fjordmq/a
  bin/standalone.sh restart --drain
  bin/standalone.sh voters inbox=5 dist=5

Exit codes:
  0   success, or there was nothing to do; status: running and ready
  1   failure, the message gives the reason; status: running but not ready
  2   invalid usage or configuration
  3   status and cluster commands: the node is not running
HELP
}

# --- configuration and paths ------------------------------------------------------------------------------------

locate() {
  find_directories
  case "${FJORDMQ_JVM_OPTS:-}" in
    *-DdataDir=* | *-DlogDir=*) die "FJORDMQ_JVM_OPTS must not set -DdataDir or -DlogDir: set them in the configuration file, with -d, or with FJORDMQ_DATADIR and FJORDMQ_LOGDIR" 2 ;;
  esac
  LOCK_FILE="$DATA_DIR/lock" # pid of the process that holds the data directory
  READY_FILE="$DATA_DIR/fjordmq.pid" # exists once clients can connect: pid, start time, addresses
  require_access
}

owner() { # of the file or directory $1
  local name
  # GNU, then BSD. Parsing ls would fail for user names with blanks.
  name="$(stat -c %U "$1" 2>/dev/null || stat -f %Su "$1" 2>/dev/null || true)"
  printf '%s' "${name:-another user}"
}

# Without this check, a node of another user would look as if it were not running.
require_access() {
  local wanted existing allowed
  for wanted in "$DATA_DIR" "$LOG_DIR"; do
    existing="$wanted"
    until [ -e "$existing" ]; do # the paths are absolute
      existing="${existing%/*}"
      existing="${existing:-/}"
    done
    [ -d "$existing" ] || continue
    allowed=no
    [ -x "$existing" ] && { [ "$existing" != "$wanted" ] || { [ -r "$wanted" ] && [ -w "$wanted" ]; }; } && allowed=yes
    [ "$allowed" = yes ] || die "user $(id -un) cannot access $wanted: $existing belongs to $(owner "$existing"); run this command as that user, or choose another directory with -d"
  done
}

# A start as root leaves files behind that the user of the directory cannot read.
require_own_files() {
  local file
  [ "$EUID" -ne 0 ] || return 0
  file="$(find "$DATA_DIR" "$LOG_DIR" -type f ! -user "$(id -u)" -print -quit 2>/dev/null || true)"
  [ -z "$file" ] || [ -w "$file" ] || die "user $(id -un) cannot write $file: it belongs to $(owner "$file"); run this command as that user, or change the owner: chown -R $(id -un) $DATA_DIR $LOG_DIR"
}

alive() { # whether process $1 of any user exists
  kill -0 "$1" 2>/dev/null || ps -p "$1" >/dev/null 2>&1
}

# --- running node -----------------------------------------------------------------------------------------------

# Prints the pid of the node that holds this data directory; fails if it is not running.
running() {
  local pid command data
  [ -s "$LOCK_FILE" ] || return 1
  read -r pid <"$LOCK_FILE" || true
  case "$pid" in '' | *[!0-9]*) return 1 ;; esac
  alive "$pid" || return 1
  # The pid may belong to another process by now,
  if [ -r "/proc/$pid/cmdline" ]; then
    command="$(tr '\0' ' ' <"/proc/$pid/cmdline")"
  else
    command="$(ps -p "$pid" -o args= 2>/dev/null || true)"
  fi
  case "$command" in
    *io.fjordmq.broker.Main*) ;;
    *) return 1 ;;
  esac
  # even to another node, because pids in containers are small and are reused soon.
  data="$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | sed -n 's/^FJORDMQ_DATADIR=//p' || true)"
  [ -z "$data" ] || [ "$data" = "$DATA_DIR" ] || return 1
  printf '%s' "$pid"
}

ready_value() { sed -n "/^$1=/{s/^$1=//p;q;}" "$READY_FILE" 2>/dev/null || true; }

is_ready() { # whether process $1 is ready
  local pid=''
  [ -s "$READY_FILE" ] && read -r pid <"$READY_FILE" && [ "$pid" = "$1" ]
}

ports() { sed -n 's/^\(mqtt\|http\)=//p' "$READY_FILE" 2>/dev/null | paste -s -d ' ' -; }

# Prints the response body of page $1; fails unless the status is 200 and the response arrives in time. Uses the
# sockets of bash rather than curl, which may not be installed. Every read has a timeout, because the kernel accepts
# connections even for a suspended process.
page() {
  local url host port response token
  url="$(ready_value http)"
  # A node that listens on another address than the loopback address asks for credentials.
  token="$(sed -n 's/.*"token":"\([^"]*\)".*/Authorization: Bearer \1/p' "$DATA_DIR/control/api.json" 2>/dev/null)" || true
  case "$url" in https://*) page_over_tls "$url" "$1" "$token"; return ;; esac
  host="${url#http://}"; port="${host##*:}"; host="${host%:*}"
  case "$host" in 0.0.0.0 | '[::]') host=127.0.0.1 ;; esac
  host="${host#[}"; host="${host%]}"
  response="$(
    { exec 3<>"/dev/tcp/$host/$port"; } 2>/dev/null || exit 0
    printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n' "$1" "${token:+$token$'\r\n'}" >&3
    while IFS= read -r -t "$RESPONSE_SECONDS" line <&3 || [ -n "$line" ]; do printf '%s\n' "$line"; done
  )" 2>/dev/null || true
  [ -n "$response" ] || { printf 'no response from %s%s: connection failed or timed out after %s s' "$url" "$1" "$RESPONSE_SECONDS"; return 1; }
  printf '%s\n' "$response" | tr -d '\r' | sed '1,/^$/d'
  case "${response%%$'\n'*}" in *' 200 '*) ;; *) return 1 ;; esac
}

# The same over TLS, with the URL of the node, a page and an Authorization header. The certificate is not verified: it
# need not name the address by which the node can be reached on its own host.
page_over_tls() {
  local url="$1" code=0
  command -v curl >/dev/null || { printf 'cannot fetch %s%s: install curl, which this script uses for HTTPS' "$1" "$2"; return 1; }
  url="${url/0.0.0.0/127.0.0.1}"
  # The header is passed on standard input, because all users of this host can see command lines.
  printf '%s' "${3:+header = \"$3\"}" |
    curl -sk --fail-with-body --noproxy '*' -m "$RESPONSE_SECONDS" -K - "${url/\[::\]/[::1]}$2" || code=$?
  case "$code" in
    0) ;;
    22) return 1 ;; # a response with an error, which curl has printed
    *) printf 'no response from %s%s: curl failed with exit code %s' "$1" "$2" "$code"; return 1 ;;
  esac
}

# --- build ------------------------------------------------------------------------------------------------------

build_if_needed() {
  ! needs_build || as_only_build build
}

needs_build() { [ -d "$HOME_DIR/broker-server/src" ] && ! is_built; }

# Whether there is a build that is newer than the sources.
is_built() {
  local stamp="$OUT_DIR/built" newer
  [ -f "$stamp" ] || return 1
  newer="$(find "$HOME_DIR"/pom.xml "$HOME_DIR"/*/pom.xml "$HOME_DIR"/*/src/main "$HOME_DIR"/.mvn \
    \( -path "$HOME_DIR/perf/*" -o -path "$HOME_DIR/test-support/*" \) -prune -o -type f -newer "$stamp" -print -quit 2>/dev/null || true)"
  [ -z "$newer" ]
}

build() {
  ! is_built || return 0
  command -v mvn >/dev/null || die "cannot build FjordMQ: 'mvn' is not installed or not in PATH; install Maven 3.8 or newer"
  say "building FjordMQ (the first build downloads dependencies and takes a few minutes)"
  rm -rf "$OUT_DIR"
  mkdir -p "$OUT_DIR"
  touch "$OUT_DIR/building" # older than sources that change during the build
  choose_build_options
  (cd "$HOME_DIR" && mvn -B -q "${BUILD_OPTIONS[@]}" package -pl broker-server,cli,auth-providers,object-storage -am) >&2 || die "build failed; see the Maven output above"
  mv "$OUT_DIR/building" "$OUT_DIR/built"
  choose_java
  train
}

# Builds FjordMQ if needed. If it is built, makes the AOT cache unless there is one: an installation needs a new one if
# its files were copied without their modification times, or its JDK was updated.
build_all() {
  if needs_build; then
    as_only_build build
    return
  fi
  require_own_cache
  choose_java
  if [ "$JAVA_VERSION" -lt "$AOT_VERSION" ]; then
    [ -d "$HOME_DIR/broker-server/src" ] \
      || say "nothing to build: an AOT cache requires Java $AOT_VERSION or newer, and $JAVA is Java $JAVA_VERSION"
    return 0
  fi
  ! has_cache || return 0
  mkdir -p "$OUT_DIR" 2>/dev/null || true
  [ -w "$OUT_DIR" ] && [ -w "${BUILD_LOCK%/*}" ] || {
    say "warning: user $(id -un) cannot write an AOT cache to $OUT_DIR, so nodes start more slowly; run this command as $(owner "$OUT_DIR/.")" >&2
    return 0
  }
  as_only_build train
}

# Fails if root would write to the cache of another user, whose links could make it overwrite any file. In packages, the
# cache belongs to the user of the service.
require_own_cache() {
  local user
  [ "$(id -u)" = 0 ] && [ -d "$OUT_DIR" ] && [ ! -d "$HOME_DIR/broker-server/src" ] || return 0
  user="$(owner "$OUT_DIR/.")" # of the directory, which may be a link
  [ "$user" = root ] || die "root must not write to $OUT_DIR, which belongs to $user; run this command as that user: sudo -u $user $HOME_DIR/bin/standalone.sh build"
}

# --- AOT cache --------------------------------------------------------------------------------------------------
# From JDK 25 on, a cache holds loaded and linked classes and the profiles that the JIT compiler needs. A training run
# records them: a node in its own directory serves TrainingLoad, first alone and then in a cluster of three.

# Prints the jars in a fixed order. The JVM would expand a wildcard in the order of the directory, and accepts a cache
# only for the class path that it was recorded with.
class_path() {
  local LC_ALL=C jars
  jars=("$LIB_DIR"/*.jar)
  local IFS=:
  printf '%s' "${jars[*]}"
}

file_facts() { stat -c '%n %s %Y' "$@" 2>/dev/null || stat -f '%N %z %m' "$@" 2>/dev/null; } # name, size, modification time

# Prints what cache $1 depends on. The JVM checks most of it as well, but a node whose JVM ignores the cache starts
# without any archive of classes, and the JVM does not detect damage inside the cache.
cache_inputs() {
  local modules
  modules="$(readlink -f "$JAVA")"
  modules="${modules%/bin/*}/lib/modules"
  (shopt -s nullglob && cd "$OUT_DIR" && file_facts "$modules" "${1##*/}" native/* && cd "$LIB_DIR" && file_facts ./*.jar)
}

# Whether there is a cache for this JVM and these jars that this user can read.
has_cache() {
  local recorded
  [ "$JAVA_VERSION" -ge "$AOT_VERSION" ] && [ -r "$AOT_CACHE" ] && [ -r "$AOT_CACHE.inputs" ] || return 1
  recorded="$(<"$AOT_CACHE.inputs")"
  [ -n "$recorded" ] && [ "$(cache_inputs "$AOT_CACHE")" = "$recorded" ]
}

# Makes the cache if the JVM supports it. A failure is not one of the build: nodes start without the cache, but slower.
train() {
  local folder="$OUT_DIR/training"
  [ "$JAVA_VERSION" -ge "$AOT_VERSION" ] && ! has_cache || return 0
  say "training: running nodes for about 45 s to make an AOT cache, which later starts use"
  rm -rf "$folder" "$AOT_CACHE" "$AOT_CACHE.inputs"
  mkdir -p "$folder"
  if (training_run "$folder") >"$folder/output" 2>&1 && mv "$folder/node.aot" "$AOT_CACHE"; then
    # The node has unpacked the library of RocksDB, which takes longer than to load it.
    rm -rf "$OUT_DIR/native"
    if compgen -G "$folder/data/native/*" >/dev/null && mv "$folder/data/native" "$OUT_DIR/native"; then
      chmod -R a+rX "$OUT_DIR/native"
    fi
    chmod a+r "$AOT_CACHE" # for the nodes of other users
    cache_inputs "$AOT_CACHE" >"$AOT_CACHE.inputs" || rm -f "$AOT_CACHE.inputs"
    rm -rf "$folder"
  else
    say "warning: training failed, so nodes start without an AOT cache and need more CPU at first; see $folder/output and $folder/logs, then run '$0 build' again" >&2
  fi
}

# Records the cache $1/node.aot. Runs in a subshell, without errexit.
training_run() {
  local folder="$1" deadline code=0 port='' mqtt_ports=''
  node='' started='' load='' peers=() # not local, for the trap
  local DATA_DIR="$folder/data" LOG_DIR="$folder/logs" READY_FILE="$folder/data/fjordmq.pid"
  # The training run must not depend on the environment of the user who builds.
  unset FJORDMQ_JVM_OPTS
  local FJORDMQ_MEMORY=2g
  local clean=(env -i PATH="$PATH" HOME="${HOME:-/}" LANG=C.UTF-8 _JAVA_SR_SIGNUM=50)
  trap 'kill -9 $node $started $load ${peers[@]+"${peers[@]}"} 2>/dev/null || true' EXIT
  exec 9>&- # a process that outlives this script must not keep the lock of the build
  compgen -G "$LIB_DIR/*.jar" || { echo "no jars in $LIB_DIR"; return 1; }
  jvm_options
  start_training_node "$folder" "-XX:AOTCacheOutput=$folder/node.aot" || { echo "the node did not become ready"; return 1; }
  node="$started"
  training_load "$(mqtt_port)" || return 1
  if start_training_peers "$folder"; then
    training_load "$mqtt_ports" || return 1
  else
    echo "no other nodes; the cache covers the code of a single node only"
  fi
  kill "$node"
  deadline=$((SECONDS + 120)) # the JVM writes the cache after the node has stopped
  while kill -0 "$node" 2>/dev/null; do
    [ "$SECONDS" -lt "$deadline" ] || { echo "the node has not stopped after 120 s"; return 1; }
    sleep 0.1
  done
  # A JVM that failed has written a cache all the same.
  wait "$node" || code=$?
  node=''
  [ "$code" -eq 0 ] && [ -s "$folder/node.aot" ] || { echo "the node exited with code $code"; return 1; }
}

# Starts a node in $1 with the further JVM options that follow. Sets started to its pid and port to its cluster port.
# It joins the cluster of the node whose cluster port was in port before, if any.
start_training_node() {
  local folder="$1" attempt deadline seed="$port"
  local READY_FILE="$folder/data/fjordmq.pid"
  shift
  mkdir -p "$folder/data" "$folder/logs" || return 1
  for attempt in 1 2 3; do # the random port for other nodes may be in use
    port=$((20000 + RANDOM % 12000))
    # With three inbox ranges, each node leads one and follows two.
    printf '%s\n' "bootstrap: $([ "$seed" ] && echo false || echo true)" 'mqttServerConfig:' '  tcpListener:' \
      '    host: 127.0.0.1' '    port: 0' 'httpConfig:' '  port: 0' 'inboxConfig:' '  initialRanges: 3' 'clusterConfig:' \
      '  host: 127.0.0.1' "  port: $port" "  seedEndpoints: '${seed:+127.0.0.1:$seed}'" >"$folder/node.yml"
    "${clean[@]}" "$JAVA" "${OPTIONS[@]}" "$@" -Dfjordmq.console=OFF -cp "$(class_path)" io.fjordmq.broker.Main \
      -c "$folder/node.yml" -d "$folder" &
    started=$!
    deadline=$((SECONDS + 60))
    until is_ready "$started" || ! kill -0 "$started" 2>/dev/null || [ "$SECONDS" -ge "$deadline" ]; do sleep 0.1; done
    ! is_ready "$started" || return 0
    kill -9 "$started" 2>/dev/null || true
    wait "$started" 2>/dev/null || true
  done
  return 1
}

# Starts two more nodes, which record nothing, and waits until they hold replicas. Sets mqtt_ports to those of all nodes.
# Fails if they do not become ready, for example for lack of memory.
start_training_peers() {
  local folder="$1" number seed="$port" response deadline
  mqtt_ports="$(mqtt_port)"
  for number in 2 3; do
    port="$seed"
    start_training_node "$folder/node$number" -Xmx256m -XX:TieredStopAtLevel=1 || return 1
    peers+=("$started")
    mqtt_ports="$mqtt_ports,$(READY_FILE="$folder/node$number/data/fjordmq.pid" mqtt_port)"
  done
  deadline=$((SECONDS + 30))
  # Every range with fewer than three voters is still being copied.
  while response="$(page /status)" && grep '^range ' <<<"$response" | grep -qv ' voters [^ ]*, [^ ]*, '; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.5
  done
}

mqtt_port() { ready_value mqtt | sed 's/.*://'; }

# Applies the load to the nodes at the MQTT ports $1.
training_load() {
  "${clean[@]}" "$JAVA" -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dlogback.configurationFile=logback-off.xml \
    --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED -cp "$(class_path)" \
    io.fjordmq.broker.training.TrainingLoad "$1" "$TRAINING_SECONDS" &
  load=$!
  while kill -0 "$load" 2>/dev/null; do # what monitoring does meanwhile
    page /metrics >/dev/null
    page /status >/dev/null
    page /readyz >/dev/null
    sleep 0.5
  done
  wait "$load" || { echo "the load failed with exit code $?"; return 1; }
  load=''
}

# --- Java -------------------------------------------------------------------------------------------------------

# Sets VERSION to the major version of java executable $1; the release file saves starting a JVM.
find_java_version() {
  local java="$1" key value
  [ ! -L "$java" ] || java="$(readlink -f "$java")"
  VERSION=''
  while IFS='=' read -r key value; do
    case "$key" in JAVA_VERSION) VERSION="${value#\"}"; break ;; esac
  done 2>/dev/null <"${java%/*}/../release" || true
  [ "$VERSION" ] || VERSION="$("$1" -version 2>&1 | sed -n 's/.* version "\(.*\)/\1/p' || true)"
  VERSION="${VERSION#1.}" # up to Java 8 the major version is the second number: 1.8.0_402
  VERSION="${VERSION%%[!0-9]*}"
  VERSION="${VERSION:-0}"
}

choose_java() {
  local candidate VERSION
  JAVA='' JAVA_VERSION=0
  if [ -n "${FJORDMQ_JAVA:-}" ]; then
    [ -x "$FJORDMQ_JAVA" ] || die "FJORDMQ_JAVA is not executable: $FJORDMQ_JAVA; set it to the java executable of a JDK 17 or newer" 2
    JAVA="$FJORDMQ_JAVA"
    find_java_version "$JAVA"
    JAVA_VERSION="$VERSION"
  else
    for candidate in "${JAVA_HOME:-/none}/bin/java" "$(command -v java || true)" /usr/lib/jvm/*/bin/java \
      /opt/java/*/bin/java; do
      [ -x "$candidate" ] || continue
      find_java_version "$candidate"
      if [ "$VERSION" -gt "$JAVA_VERSION" ]; then
        JAVA="$candidate" JAVA_VERSION="$VERSION"
      fi
    done
  fi
  [ -n "$JAVA" ] || die "no Java found; install a JDK 17 or newer, or set JAVA_HOME"
  [ "$JAVA_VERSION" -ge 17 ] || die "$JAVA is Java $JAVA_VERSION; FjordMQ requires Java 17 or newer"
  AOT_CACHE="$OUT_DIR/classes-$JAVA_VERSION.aot"
}

jvm_options() {
  decide_memory
  OPTIONS=(
    -Xms32m "-Xmx${HEAP}m" "-XX:MaxDirectMemorySize=${DIRECT}m" -Xss512k
    "-Dfjordmq.memory=$MEMORY" "-Dfjordmq.memorySource=$MEMORY_SOURCE" "-Dfjordmq.databaseMemory=$DATABASES"
    -XX:+ExitOnOutOfMemoryError "-XX:ErrorFile=$LOG_DIR/hs_err_%p.log"
    -Dfile.encoding=UTF-8
    # Leak detection samples stack traces of buffers, which costs CPU. The tests check every buffer.
    -Dio.netty.leakDetection.level=disabled
    # Netty would load Flight Recorder at every start for events that only a recording of its buffers needs.
    -Dio.netty.jfr.enabled=false
    # Makes the protobuf runtime accept the messages of sofa-jraft, which an old protobuf compiler generated.
    -Dcom.google.protobuf.use_unsafe_pre22_gencode=true
    "-Dlogback.configurationFile=$HOME_DIR/conf/logback.xml"
  )
  case "${FJORDMQ_JVM_OPTS:-}" in
    *-XX:+Use*GC*) COLLECTOR=other ;;
    # SerialGC uses the least CPU and memory with a small heap. Its full collections of a large one would take seconds.
    *) if [ "$HEAP" -le 2048 ]; then COLLECTOR=Serial; else COLLECTOR=G1; fi ;;
  esac
  [ "$COLLECTOR" = other ] || OPTIONS+=("-XX:+Use${COLLECTOR}GC")
  # In an image, the native libraries are unpacked. Otherwise, the node unpacks them into a directory that it can write.
  [ ! -d "$HOME_DIR/lib/native" ] || OPTIONS+=("-Djava.library.path=$HOME_DIR/lib/native")
  # A JVM that cannot read or write the archive continues without it. Its warnings would hide the messages that matter.
  OPTIONS+=(-Xlog:disable -Xlog:all=error:stderr "-Xlog:cds*=off:stderr")
  [ "$JAVA_VERSION" -lt 24 ] || OPTIONS+=("-Xlog:aot*=off:stderr")
  [ "$JAVA_VERSION" -lt 22 ] || OPTIONS+=(--enable-native-access=ALL-UNNAMED)
  [ "$JAVA_VERSION" -lt 23 ] || OPTIONS+=(--sun-misc-unsafe-memory-access=allow)
  # The JIT compiler frees tens of megabytes after the start, which the C library would keep.
  [ "$JAVA_VERSION" -lt 25 ] || OPTIONS+=(-XX:+UseCompactObjectHeaders -XX:TrimNativeHeapInterval=10000)
}

# Adds the options for classes that need not be loaded and linked again: those of the AOT cache, or class data sharing.
share_classes() {
  local archive cache=no
  # The cache was recorded with the serial collector.
  if [ "$COLLECTOR" = Serial ] && has_cache; then cache=yes; fi
  case "${FJORDMQ_JVM_OPTS:-}" in
    *-XX:AOT*) return 0 ;; # a second archive would prevent the start
    # With these options the JVM ignores the cache, but not an archive that was written with them.
    *-XX:+Use*GC* | *-XX:-Use*Oops* | *-XX:-UseCompact* | *agent* | *--add-* | *--limit-* | *--patch-* | *com.sun.management*) cache=no ;;
    *-XX:*Archive* | *-Xshare*) cache=no ;;
  esac
  if [ "$cache" = yes ]; then
    OPTIONS+=("-XX:AOTCache=$AOT_CACHE")
    share_libraries
    return 0
  fi
  # The class archive is next to the build, where all nodes of this user share it, or in the data directory if this
  # user cannot write there.
  archive="$OUT_DIR/classes-$JAVA_VERSION.jsa"
  if [ ! -w "$OUT_DIR" ] || { [ -e "$archive" ] && [ ! -r "$archive" ]; }; then
    archive="$DATA_DIR/classes-$JAVA_VERSION.jsa"
  fi
  # Class data sharing: the first node writes the archive when it stops, which makes later starts much faster.
  if [ "$JAVA_VERSION" -ge 19 ]; then
    OPTIONS+=(-XX:+AutoCreateSharedArchive "-XX:SharedArchiveFile=$archive")
  elif [ -f "$archive" ]; then
    OPTIONS+=("-XX:SharedArchiveFile=$archive" -Xshare:auto)
  else
    OPTIONS+=("-XX:ArchiveClassesAtExit=$archive")
  fi
}

# Adds the option for the libraries that the training run has unpacked, which are of the same jars as the cache. The other
# directories are the default of the JVM, for plugins. Root does not execute what another user can write.
share_libraries() {
  local folder="$OUT_DIR/native"
  [ ! -d "$HOME_DIR/lib/native" ] && [ -d "$folder" ] || return 0
  [ "$EUID" -ne 0 ] || [ -O "$folder" ] || return 0
  OPTIONS+=("-Djava.library.path=$folder:${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/java/packages/lib:/usr/lib64:/lib64:/lib:/usr/lib")
}

prepare() {
  build_if_needed
  choose_java
  [ -d "$OUT_DIR" ] || mkdir -p "$OUT_DIR" 2>/dev/null || true
  umask 077 # after the build, which other users may execute
  { [ -d "$DATA_DIR" ] && [ -d "$LOG_DIR" ]; } || mkdir -p "$DATA_DIR" "$LOG_DIR" || die "cannot create $DATA_DIR and $LOG_DIR as user $(id -un); see the error above"
  require_own_files
  jvm_options
  share_classes
  # shellcheck disable=SC2206 # blanks separate the options
  OPTIONS+=(${FJORDMQ_JVM_OPTS:-})
  export FJORDMQ_DATADIR="$DATA_DIR" FJORDMQ_LOGDIR="$LOG_DIR"
  # sofa-jraft handles SIGUSR2, which the JVM uses to suspend threads. Flight Recorder would lose most of its samples,
  # so the JVM uses another signal; any real-time signal works.
  export _JAVA_SR_SIGNUM="${_JAVA_SR_SIGNUM:-50}"
  # RocksDB would run ldd to find out whether the C library is musl.
  compgen -G '/lib/ld-musl-*' >/dev/null || export ROCKSDB_MUSL_LIBC="${ROCKSDB_MUSL_LIBC:-false}"
  COMMAND=("$JAVA" "${OPTIONS[@]}" -cp "$(class_path)" io.fjordmq.broker.Main -c "$CONFIG")
}

# --- commands ---------------------------------------------------------------------------------------------------

start() {
  local pid deadline console
  if pid="$(running)"; then
    say "already running: pid $pid, $(ports)"
    return 0
  fi
  [ "$ALONE" = no ] || [ -s "$DATA_DIR/node.id" ] \
    || die "--alone requires a node that already belongs to a cluster; found none in $DATA_DIR"
  prepare
  rm -f "$READY_FILE" "$DATA_DIR/alone"
  [ "$ALONE" = no ] || : >"$DATA_DIR/alone" # the node reads it at this start
  console="$LOG_DIR/console.log"
  cd "$HOME_DIR"
  keep_console "$console"
  nohup "${COMMAND[@]:0:1}" -Dfjordmq.console=OFF "${COMMAND[@]:1}" >>"$console" 2>&1 </dev/null &
  pid=$!
  # A pipe to which nothing writes: reading from it with a timeout is a pause without a process, from Bash 4 on.
  [ "${BASH_VERSINFO[0]}" -lt 4 ] || exec 8<> <(:)
  deadline=$((SECONDS + ${FJORDMQ_START_SECONDS:-120}))
  until is_ready "$pid"; do
    if ! kill -0 "$pid" 2>/dev/null; then
      failed "$pid" "$console"
    fi
    if [ "$SECONDS" -ge "$deadline" ]; then
      tail -n 20 "$LOG_DIR/fjordmq.log" >&2 || true
      die "node not ready after ${FJORDMQ_START_SECONDS:-120} s; pid $pid is still starting. See the last lines of $LOG_DIR/fjordmq.log above"
    fi
    if [ "${BASH_VERSINFO[0]}" -lt 4 ]; then sleep 0.05; else read -r -t 0.01 -u 8 || true; fi
  done
  disown "$pid" 2>/dev/null || true
  say "running: pid $pid, $(ports), log $LOG_DIR/fjordmq.log"
}

# Prepares $1 for the output of the JVM and of plugins. Starts append to it; a large file is first renamed to $1.1.
keep_console() {
  local size
  size="$([ ! -f "$1" ] || wc -c <"$1")"
  [ "${size:-0}" -lt 10485760 ] || mv -f "$1" "$1.1"
  printf '%s starting as user %s\n' "$(date '+%Y-%m-%dT%H:%M:%S%z')" "$(id -un)" >>"$1"
}

failed() { # process $1 exited during startup; $2 is its output
  local code=0
  wait "$1" || code=$?
  # Print only the lines of this start.
  sed -n '/ starting as user /{h;d;};H;${x;s/^[^\n]*\n//;p;}' "$2" | tail -n 20 >&2
  die "node exited during startup; see the messages above and $LOG_DIR/fjordmq.log" "$([ "$code" -eq 2 ] && echo 2 || echo 1)"
}

check() {
  build_if_needed
  choose_java
  export FJORDMQ_DATADIR="$DATA_DIR" FJORDMQ_LOGDIR="$LOG_DIR"
  cd "$HOME_DIR"
  exec "$JAVA" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 $([ "$JAVA_VERSION" -lt 22 ] || echo --enable-native-access=ALL-UNNAMED) \
    $([ "$JAVA_VERSION" -lt 23 ] || echo --sun-misc-unsafe-memory-access=allow) -cp "$LIB_DIR/*" io.fjordmq.broker.Main --check -c "$CONFIG"
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
  local pid deadline timeout
  if ! pid="$(running)"; then
    say "not running"
    return 0
  fi
  timeout="${FJORDMQ_STOP_SECONDS:-60}"
  if [ "$DRAIN" = yes ]; then
    : >"$DATA_DIR/drain" # the node reads it when it stops
    timeout="${FJORDMQ_STOP_SECONDS:-600}"
  fi
  kill "$pid" 2>/dev/null || ! alive "$pid" \
    || die "user $(id -un) cannot stop pid $pid: permission denied; run this command as $(owner "/proc/$pid")"
  deadline=$((SECONDS + timeout))
  while alive "$pid"; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      die "pid $pid has not stopped after $timeout s; see $LOG_DIR/fjordmq.log ('kill -9 $pid' loses no acknowledged data)"
    fi
    sleep 0.05
  done
  say "stopped: pid $pid"
  if grep -qs '^fjordmq: .*did not close in time' "$LOG_DIR/console.log"; then
    say "$(sed -n 's/^fjordmq: \(.*did not close in time\)/\1/p' "$LOG_DIR/console.log"); see $LOG_DIR/fjordmq.log (no acknowledged data is lost)" >&2
  fi
}

status() {
  local pid seconds response code=0
  if ! pid="$(running)"; then
    say "not running (data directory: $DATA_DIR)"
    return 3
  fi
  if ! is_ready "$pid"; then
    say "starting: pid $pid (data directory: $DATA_DIR)"
    say "last line of the log: $(tail -n 1 "$LOG_DIR/fjordmq.log" 2>/dev/null || true)"
    return 1
  fi
  seconds=$(($(date +%s) - $(ready_value since)))
  response="$(page /readyz)" || code=1
  say "running: pid $pid, $(ports), up $((seconds / 86400))d $((seconds / 3600 % 24))h $((seconds / 60 % 60))m $((seconds % 60))s"
  say "readiness: $(printf '%s' "$response" | paste -s -d ' ' -)"
  case "$response" in
    'no response from '*) say "the process does not respond; see $LOG_DIR/fjordmq.log ('kill -9 $pid' loses no acknowledged data)" ;;
    *) page /status || true ;;
  esac
  return "$code"
}

# --- cluster commands -------------------------------------------------------------------------------------------

# Sends a command to the node as a file in a directory that only its owner can enter. Prints the response; returns its
# exit code.
control() {
  local pid folder="$DATA_DIR/control" name="$$-$RANDOM" deadline code=1
  pid="$(running)" || { printf 'not running (data directory: %s)' "$DATA_DIR"; return 3; }
  is_ready "$pid" || { printf 'node is still starting: pid %s; retry when status shows it as ready' "$pid"; return 1; }
  [ -w "$folder" ] && [ -x "$folder" ] || { printf 'user %s cannot write to %s; run this command as the user that runs the node' "$(id -un)" "$folder"; return 1; }
  printf '%s\n' "$*" >"$folder/$name.new"
  chmod 644 "$folder/$name.new"
  mv "$folder/$name.new" "$folder/$name.request"
  deadline=$((SECONDS + 60))
  until [ -e "$folder/$name.response" ]; do
    if ! kill -0 "$pid" 2>/dev/null || [ "$SECONDS" -ge "$deadline" ]; then
      rm -f "$folder/$name.request"
      printf 'pid %s did not respond, so the outcome is unknown; see %s' "$pid" "$LOG_DIR/fjordmq.log"
      return 1
    fi
    sleep 0.1
  done
  { read -r code; cat; } <"$folder/$name.response"
  rm -f "$folder/$name.response"
  return "$code"
}

send_command() { # a command and its arguments
  local response code=0
  response="$(control "$@")" || code=$?
  [ "$code" -eq 0 ] || die "$response" "$code"
  say "$response"
}

leave() {
  local response code last='' deadline
  deadline=$((SECONDS + ${FJORDMQ_STOP_SECONDS:-600}))
  while true; do
    code=0
    response="$(control leave)" || code=$?
    [ "$code" -eq 75 ] || break # not yet
    [ "$response" = "$last" ] || say "$response"
    last="$response"
    [ "$SECONDS" -lt "$deadline" ] || die "not decommissioned within ${FJORDMQ_STOP_SECONDS:-600} s: other nodes have not taken over everything yet. The node keeps running; run leave again to continue, or restart to keep the node in the cluster"
    sleep 1
  done
  [ "$code" -eq 0 ] || die "$response" "$code"
  DRAIN=yes
  stop
  say "node decommissioned; to rejoin as a new node, start it with an empty data directory ($DATA_DIR)"
}

# --- arguments --------------------------------------------------------------------------------------------------

ACTION="${1:-}"
[ $# -eq 0 ] || shift
DRAIN=no
ALONE=no
WORDS=()
while [ $# -gt 0 ]; do
  case "$1" in
    -c | -d) [ $# -ge 2 ] || die "option $1 requires a value; see --help" 2 ;;
    --drain) [ "$ACTION" = stop ] || [ "$ACTION" = restart ] || die "--drain is only valid with stop and restart" 2 ;;
    --alone) [ "$ACTION" = start ] || die "--alone is only valid with start" 2 ;;
    -h | --help) usage; exit 0 ;;
    --version) version; exit 0 ;;
    -*) die "unknown option '$1'; see --help" 2 ;;
    *)
      case "$ACTION" in voters | remove-node | split | merge | cancel | rebuild | lower-clock) WORDS+=("$1") ;; *) die "unexpected argument '$1'; see --help" 2 ;; esac
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
    [ "$ACTION" = voters ] || [ ${#WORDS[@]} -eq 1 ] || die "$ACTION requires exactly one $([ "$ACTION" = remove-node ] && echo 'node id' || echo range), as listed by status; see --help" 2
    locate
    send_command "$ACTION" ${WORDS[@]+"${WORDS[@]}"}
    ;;
  accept-clock) locate; send_command accept-clock ;;
  leave) locate; leave ;;
  status) locate; status || exit ;; # a node that is not running is a result, not an internal error
  start | stop | run | check) locate; "$ACTION" ;;
  build) build_all ;;
  restart) locate; stop; start ;;
  -h | --help | help) usage ;;
  --version) version ;;
  '') usage >&2; exit 2 ;;
  *) die "unknown command '$ACTION'; see --help" 2 ;;
esac
