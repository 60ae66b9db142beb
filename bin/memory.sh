# shellcheck shell=bash
# Determines how much memory a node uses, in checkouts, packages and containers alike. Sourced by bin/standalone.sh;
# docs/CONFIGURATION.md describes the rules.

CGROUP_ROOT='' # in tests, the directory of another /proc and /sys

# The functions start few processes, because each of them delays the start of a node.

# Prints the memory of this host in MiB.
host_memory_mib() {
  local kib='' name value
  while read -r name value _; do
    case "$name" in MemTotal:) kib="$value"; break ;; esac
  done 2>/dev/null <"$CGROUP_ROOT/proc/meminfo" || true
  printf '%s' $((${kib:-1048576000} / 1024))
}

# Prints the smallest limit of the cgroups of this process in MiB, for cgroup v1 and v2; nothing if there is no limit.
cgroup_limit_mib() {
  local smallest='' controllers path folder file limit
  while IFS=: read -r _ controllers path; do
    case ",$controllers," in
      ,,) folder=/sys/fs/cgroup file=memory.max ;;
      *,memory,*) folder=/sys/fs/cgroup/memory file=memory.limit_in_bytes ;;
      *) continue ;;
    esac
    # The limits of all parent groups apply as well. In a container, some of the path may not be visible.
    while true; do
      limit=''
      { read -r limit <"$CGROUP_ROOT$folder${path%/}/$file"; } 2>/dev/null || true
      case "$limit" in
        '' | *[!0-9]*) ;; # no such file, or "max"
        ???????????????????*) ;; # cgroup v1 reports the largest number if there is no limit
        *)
          limit=$((limit / 1048576))
          [ "$limit" -ge "${smallest:-999999999999}" ] || smallest="$limit"
          ;;
      esac
      [ "${path%/}" ] || break
      path="${path%/*}"
    done
  done 2>/dev/null <"$CGROUP_ROOT/proc/self/cgroup" || true
  printf '%s' "$smallest"
}

# Sets MEMORY from FJORDMQ_MEMORY: a number with m or g, as in -Xmx, or with MiB or GiB, as in the configuration.
use_requested_memory() {
  local text="${FJORDMQ_MEMORY// /}" number unit
  number="${text%%[!0-9]*}"
  unit="${text#"$number"}"
  case "$unit" in
    [gG] | [gG][iI][bB] | Gi) unit=1024 ;;
    [mM] | [mM][iI][bB] | Mi) unit=1 ;;
    *) unit=0 ;;
  esac
  [ "${#number}" -le 7 ] || number=0
  MEMORY=$((10#${number:-0} * unit))
  [ "$MEMORY" -ge 128 ] \
    || die "FJORDMQ_MEMORY must be a size of at least 128 MiB, such as 512m or 2g, not '$FJORDMQ_MEMORY'" 2
}

# Divides the limit of the cgroup between $1 nodes that run in it, by setting FJORDMQ_MEMORY; changes nothing if there is
# no limit, or if FJORDMQ_MEMORY is set.
share_memory() {
  local limit
  limit="$(cgroup_limit_mib)"
  [ -z "${FJORDMQ_MEMORY:-}" ] && [ -n "$limit" ] && [ "$limit" -lt "$(host_memory_mib)" ] || return 0
  FJORDMQ_MEMORY="$(between 128 "$limit" $((limit / $1)))m"
  export FJORDMQ_MEMORY
}

between() { printf '%s' $(($3 < $1 ? $1 : $3 > $2 ? $2 : $3)); } # $3, limited to the range from $1 to $2

# shellcheck disable=SC2034 # bin/standalone.sh uses the results
# Sets MEMORY (what the node may use), MEMORY_SOURCE (what decided), HEAP, DIRECT (network buffers) and DATABASES
# (buffers and caches of RocksDB), all sizes in MiB.
decide_memory() {
  local host limit most=1024 # MiB of heap and of direct memory
  host="$(host_memory_mib)"
  limit="$(cgroup_limit_mib)"
  if [ -n "${FJORDMQ_MEMORY:-}" ]; then
    use_requested_memory
    MEMORY_SOURCE=FJORDMQ_MEMORY
  elif [ -n "$limit" ] && [ "$limit" -lt "$host" ]; then
    MEMORY="$limit" MEMORY_SOURCE=cgroup
  else
    MEMORY="$host" MEMORY_SOURCE=host
  fi
  # Memory under a limit is reserved for the node. That of a host is shared with other processes.
  [ "$MEMORY_SOURCE" = host ] || most=31744 # the JVM compresses pointers up to 32 GB
  # The rest is for code, threads and the page cache.
  HEAP="$(between 64 "$most" $((MEMORY * 2 / 5)))"
  DIRECT="$(between 32 "$most" $((MEMORY / 5)))"
  DATABASES="$(between 48 192 $((MEMORY * 3 / 32)))"
}
