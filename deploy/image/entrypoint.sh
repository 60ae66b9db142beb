#!/usr/bin/env bash
# Entry point of the container image. Without arguments, or with options of 'standalone.sh run', it runs a node as the
# only process of the container. With a command, such as 'fjordmq check', it runs the command instead.
set -euo pipefail

home="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
note() { printf 'fjordmq: %s\n' "$*" >&2; }

case "${1:-}" in
  '' | -*) ;;
  *) exec "$@" ;;
esac

config="$home/conf/standalone.yml"
[ "${1:-}" != -c ] || config="${2:-}"

# Prints the values of the variables whose names match $1 after FJORDMQ_, with __ between levels. Like the node, accepts
# any case, and a dot instead of __. Empty values do not count.
values_of() {
  env -0 | { grep -ziE "^FJORDMQ_(${1//__/(__|[.])})=." || true; } | sed -z 's/^[^=]*=//' | tr '\0' '\n'
}

# Whether configuration file $config sets a key, in a block or in braces; $1 matches the key, the colon and the value.
file_sets() { grep -qsE "^([^#]*[[:space:]{,])?['\"]?$1" "$config"; }

# A node that knows seeds waits for their cluster, or forms it with them (FJORDMQ_EXPECTNODES). It never creates one by
# itself, unless it is told to be the first node.
expected="$(values_of EXPECTNODES)"
if [ "${expected:-0}" != 0 ] || [ -n "$(values_of 'CLUSTERCONFIG__(SEEDENDPOINTS|CLUSTERDOMAINNAME)')" ]; then
  bootstrap="$(values_of BOOTSTRAP)"
  [ -n "$bootstrap" ] || export FJORDMQ_BOOTSTRAP=false
  if [ "${bootstrap:-false}" = false ] && [ "${expected:-0}" = 0 ] && [ ! -e "$FJORDMQ_DATADIR/node.id" ]; then
    note "this node joins the cluster of its seeds; to create a cluster, set FJORDMQ_EXPECTNODES to the number of its nodes on all of them"
  fi
fi

# Published ports can be reached from other hosts, and a sidecar or port forwarder makes remote clients look local: no
# client is admitted without credentials, whatever else is configured.
separator="['\"]?[[:space:]]*:[[:space:]]*['\"]?"
if [ -z "$(values_of SECURITYCONFIG__ALLOWANONYMOUS)" ] && ! file_sets "allowAnonymous$separator(true|false|loopback)"; then
  export FJORDMQ_SECURITYCONFIG__ALLOWANONYMOUS=false
fi

# Users in the database of the cluster need neither a file nor a restart. They are the default unless a variable or the
# configuration file chooses how clients are authenticated.
chosen="$(values_of 'SECURITYCONFIG__(AUTHENTICATION__.*|PASSWORDFILE|USECOMMONNAMEASUSERNAME|PLUGINDIR)' | grep -vix false || true)"
if [ -z "$chosen" ] && ! file_sets "(authentication$separator|passwordFile${separator}[^[:space:]#'\"]|useCommonNameAsUsername${separator}true)" \
  && ! grep -sE "^[^#]*pluginDir${separator}[^[:space:]#'\"]" "$config" | grep -qvE "pluginDir${separator}plugins\b"; then
  export FJORDMQ_SECURITYCONFIG__AUTHENTICATION__0__TYPE=database
  [ "$(values_of SECURITYCONFIG__ALLOWANONYMOUS)" != false ] \
    || note "clients need a user name and password: run 'fjordmq mqtt-users add NAME' in this container to add a user; docs/CONTAINERS.md describes other ways to admit clients"
fi

# With a read-only root there may be no /tmp. FjordMQ's own libraries are unpacked; the JVM writes little else.
if [ ! -d /tmp ] || [ ! -w /tmp ]; then
  (umask 077 && mkdir -p "$FJORDMQ_LOGDIR/tmp") 2>/dev/null || true # standalone.sh reports what is not writable
  FJORDMQ_JVM_OPTS="-Djava.io.tmpdir=$FJORDMQ_LOGDIR/tmp ${FJORDMQ_JVM_OPTS:-}"
  export FJORDMQ_JVM_OPTS
fi

rm -f "$FJORDMQ_DATADIR/fjordmq.pid" 2>/dev/null || true # of an earlier container; healthcheck.sh reads it
exec "$home/bin/standalone.sh" run "$@"
