# shellcheck shell=bash
# Runs containers without an engine: the unpacked image in namespaces. Sourced by ../test.sh, which sets work and root.
# shellcheck disable=SC2154

engine_start() {
  [ "$(id -u)" = 0 ] || { echo 'requires root'; return 1; }
  unshare --mount --pid --fork true 2>/dev/null || { echo 'cannot create namespaces'; return 1; }
  mkdir -p "$work/volumes"
}

variables() { # of the image, one per line
  image_config | python3 -c 'import json, sys; print("\n".join(json.load(sys.stdin)["config"]["Env"]))'
}

# Runs a command as process 1 of a container with the volume $1 and the variables before --.
contain() {
  local volume="$1" environment=()
  shift
  mapfile -t environment < <(variables)
  while [ "$1" != -- ]; do environment+=("$1"); shift; done
  shift
  mkdir -p "$work/volumes/$volume"
  chown 1000:0 "$work/volumes/$volume"
  # shellcheck disable=SC2016 # the inner shell expands the variables
  exec unshare --mount --pid --fork --kill-child --propagation private bash -c '
    root="$1" volume="$2"
    shift 2
    mount --bind "$root" "$root" && mount --bind "$volume" "$root/var/lib/fjordmq" && mount -t proc proc "$root/proc" \
      && mount --rbind /dev "$root/dev" && mount -o remount,bind,ro "$root" || exit 125
    exec chroot --userspec=1000:1000 --groups=1000 "$root" "$@"' \
    contain "$root" "$work/volumes/$volume" /usr/bin/env -i "${environment[@]}" "$@"
}

once() {
  local environment=()
  while [[ " $* " == *' -- '* ]]; do
    [ "$1" != -- ] || { shift; break; }
    [ "$1" = -e ] || environment+=("$1")
    shift
  done
  (contain "once-$RANDOM" ${environment[@]+"${environment[@]}"} -- /opt/fjordmq/bin/entrypoint.sh "$@")
}

node_start() {
  local name="$1" memory="$2" group
  shift 2
  group="/sys/fs/cgroup/memory/fjordmq-image-test-$$-$name"
  if mkdir -p "$group" 2>/dev/null && echo $((memory * 1048576)) 2>/dev/null >"$group/memory.limit_in_bytes"; then
    groups_made+=("$group")
  else
    group=''
  fi
  (
    [ -z "$group" ] || echo "$BASHPID" >"$group/cgroup.procs"
    contain "$name" "$@" -- /opt/fjordmq/bin/entrypoint.sh >"$work/$name.log" 2>&1
  ) &
  parents[$name]=$!
  until [ -n "$(first_process "$name")" ] || ! kill -0 "${parents[$name]}" 2>/dev/null; do sleep 0.1; done
}
declare -A parents=()
groups_made=()

first_process() { # of node $1, as seen by this host
  tr -d ' ' 2>/dev/null <"/proc/${parents[$1]}/task/${parents[$1]}/children"
}

node_exec() {
  local name="$1" environment
  shift
  mapfile -t environment < <(tr '\0' '\n' <"/proc/$(first_process "$name")/environ" | grep -v '^$')
  nsenter --target "$(first_process "$name")" --mount --pid chroot --userspec=1000:1000 --groups=1000 "$root" \
    /usr/bin/env -i "${environment[@]}" "$@"
}

node_log() { cat "$work/$1.log"; }
node_running() { kill -0 "${parents[$1]}" 2>/dev/null; }

node_stop() {
  local process code=0 deadline=$((SECONDS + $2))
  process="$(first_process "$1")"
  kill "$process"
  while kill -0 "$process" 2>/dev/null && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.1; done
  kill -9 "$process" 2>/dev/null
  wait "${parents[$1]}" || code=$?
  printf '%s\n' "$code"
}

node_remove() { kill -9 "$(first_process "$1")" 2>/dev/null || true; }

node_processes() {
  local process
  process="$(first_process "$1")"
  for task in /proc/[0-9]*; do
    [ "$(readlink "$task/ns/pid" 2>/dev/null)" != "$(readlink "/proc/$process/ns/pid")" ] || cat "$task/comm"
  done
}

engine_stop() {
  local name
  for name in "${!parents[@]}"; do kill -9 "${parents[$name]}" 2>/dev/null && wait "${parents[$name]}" 2>/dev/null; done
  for group in ${groups_made[@]+"${groups_made[@]}"}; do rmdir "$group" 2>/dev/null; done
  true
}
