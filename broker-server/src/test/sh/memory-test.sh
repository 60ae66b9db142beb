#!/usr/bin/env bash
# Tests bin/memory.sh with made-up hosts and cgroups. bin/test.sh runs it.
set -uo pipefail
cd "$(dirname "$0")/../../../.." || exit 2
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
failures=0

# Makes a host with $1 MiB whose process is in the cgroups $2, one per line as in /proc/self/cgroup.
host() {
  rm -rf "$folder/proc" "$folder/sys"
  mkdir -p "$folder/proc/self"
  printf 'MemTotal:       %d kB\nMemFree: 1 kB\n' $(($1 * 1024)) >"$folder/proc/meminfo"
  printf '%s\n' "$2" >"$folder/proc/self/cgroup"
}

limit() { # file below /sys/fs/cgroup, value
  mkdir -p "$folder/sys/fs/cgroup/$(dirname "$1")"
  printf '%s\n' "$2" >"$folder/sys/fs/cgroup/$1"
}

expect() { # FJORDMQ_MEMORY, expected: memory source heap direct databases, or the error
  local actual
  # shellcheck disable=SC2034 # the functions of memory.sh use the variables
  actual="$(
    die() { printf '%s' "$1"; exit 2; }
    . bin/memory.sh
    CGROUP_ROOT="$folder" FJORDMQ_MEMORY="$1"
    decide_memory && printf '%s' "$MEMORY $MEMORY_SOURCE $HEAP $DIRECT $DATABASES"
  )"
  [ "$actual" = "$2" ] || { echo "FAILED: line ${BASH_LINENO[0]}: '$actual' instead of '$2'"; failures=$((failures + 1)); }
}

v1=$'9:memory:/docker/4711\n1:name=systemd:/docker/4711\n0::/'

host 24000 '0::/'
expect '' '24000 host 1024 1024 192'
host 2000 '0::/'
expect '' '2000 host 800 400 187'
host 100 '0::/'
expect '' '100 host 64 32 48'

# cgroup v2, in a container that sees its own group as the root, and in a group of a service.
limit memory.max max
expect '' '100 host 64 32 48'
host 24000 '0::/'
limit memory.max 536870912
expect '' '512 cgroup 204 102 48'
host 24000 '0::/system.slice/fjordmq.service'
limit system.slice/fjordmq.service/memory.max max
limit system.slice/memory.max 2147483648
limit memory.max 4294967296
expect '' '2048 cgroup 819 409 192'

# cgroup v1, in a container that sees its own group as the root, and in the group of the host.
host 24000 "$v1"
limit memory/memory.limit_in_bytes 9223372036854771712
expect '' '24000 host 1024 1024 192'
limit memory/memory.limit_in_bytes 8589934592
expect '' '8192 cgroup 3276 1638 192'
limit memory/docker/4711/memory.limit_in_bytes 1073741824
expect '' '1024 cgroup 409 204 96'
limit memory/docker/memory.limit_in_bytes 805306368
expect '' '768 cgroup 307 153 72'

# A limit above the memory of the host is none. A limit of 200 GB leaves pointers compressed.
host 500 "$v1"
limit memory/memory.limit_in_bytes 8589934592
expect '' '500 host 200 100 48'
host 250000 "$v1"
limit memory/memory.limit_in_bytes 200000000000
expect '' '190734 cgroup 31744 31744 192'

# The variable replaces the limit.
for text in 512m 512M 512MiB '512 MiB' 0512Mi; do expect "$text" '512 FJORDMQ_MEMORY 204 102 48'; done
for text in 4g 4G '4 GiB' 4Gi; do expect "$text" '4096 FJORDMQ_MEMORY 1638 819 192'; done
# shellcheck disable=SC2016 # the text must not be executed
for text in 4 g 100m 1.5g 4k -1g 99999999g '$(id)'; do
  expect "$text" "FJORDMQ_MEMORY must be a size of at least 128 MiB, such as 512m or 2g, not '$text'"
done

# Three nodes share a limit, but not the memory of a host.
shared() { # FJORDMQ_MEMORY, nodes, expected FJORDMQ_MEMORY
  local actual
  # shellcheck disable=SC2030,SC2034 # the functions of memory.sh use the variables
  actual="$(
    . bin/memory.sh
    CGROUP_ROOT="$folder" FJORDMQ_MEMORY="$1"
    share_memory "$2" && printf '%s' "$FJORDMQ_MEMORY"
  )"
  [ "$actual" = "$3" ] || { echo "FAILED: line ${BASH_LINENO[0]}: '$actual' instead of '$3'"; failures=$((failures + 1)); }
}
host 24000 '0::/'
shared '' 3 ''
limit memory.max 3221225472
shared '' 3 1024m
shared '' 9 341m
shared 2g 3 2g
limit memory.max 314572800
shared '' 3 128m
limit memory.max 1099511627776
shared '' 3 ''

# Nothing is known about the memory.
# shellcheck disable=SC2031
rm -r "$folder/proc"
expect '' '1024000 host 1024 1024 192'

[ "$failures" -eq 0 ] && echo 'memory-test.sh passed' || { echo "memory-test.sh: $failures failed"; exit 1; }
