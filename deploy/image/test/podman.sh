# shellcheck shell=bash
# Runs containers with Podman and runc. Sourced by ../test.sh, which sets work, archive and version.
# shellcheck disable=SC2154

engine() {
  podman --root "$work/storage" --runroot "$work/run" --tmpdir "$work/tmp" --runtime runc --cgroup-manager=cgroupfs \
    --events-backend=file "$@"
}

# Options of every container. Where the process may not raise its limits, containers cannot have Podman's defaults.
limits() { printf '%s\n' --ulimit nofile=1024:1024 --ulimit nproc=1000:1000; }

# Loads the image; fails if this host cannot run containers, and prints the reason.
engine_start() {
  command -v podman >/dev/null || { echo 'podman is not installed'; return 1; }
  command -v runc >/dev/null || { echo 'runc is not installed'; return 1; }
  [ "$(id -u)" = 0 ] || { echo 'Podman is tested as root only'; return 1; }
  engine load -q -i "$archive" >/dev/null || return 1
  once true || return 1
}

# Runs a command in a new container, with the options of Podman before --.
once() {
  local options=()
  while [ "${1:-}" ] && [[ " $* " == *' -- '* ]]; do
    [ "$1" != -- ] || { shift; break; }
    options+=("$1")
    shift
  done
  # shellcheck disable=SC2046 # words
  engine run --rm $(limits) --network host --read-only --read-only-tmpfs=false ${options[@]+"${options[@]}"} \
    "fjordmq:$version" "$@"
}

# Starts a node with name $1, memory limit $2 in MiB and the variables that follow.
node_start() {
  local name="$1" memory="$2" options=()
  shift 2
  for variable in "$@"; do options+=(-e "$variable"); done
  # shellcheck disable=SC2046 # words
  engine run -d --name "$name" --hostname "$name" $(limits) --network host --read-only --read-only-tmpfs=false \
    --memory "${memory}m" -v "$name:/var/lib/fjordmq" "${options[@]}" "fjordmq:$version" >/dev/null
}

node_exec() { engine exec "$@"; } # name, command
node_log() { engine logs "$1" 2>&1; }
node_running() { [ "$(engine inspect -f '{{.State.Running}}' "$1")" = true ]; }

# Sends SIGTERM to a node, waits at most $2 seconds and prints its exit code.
node_stop() {
  engine stop -t "$2" "$1" >/dev/null
  engine inspect -f '{{.State.ExitCode}}' "$1"
}

node_remove() { # the container, but not its volume
  engine rm -f -t 5 "$1" >/dev/null
}

# Prints the processes of a node, one per line.
node_processes() { engine top "$1" pid,comm | tail -n +2; }

engine_stop() {
  engine rm -fa -t 2 >/dev/null 2>&1
  engine volume rm -fa >/dev/null 2>&1
  umount "$work/storage/overlay" 2>/dev/null
  true
}
