#!/usr/bin/env bash
# Usage: healthcheck.sh [PATH]
#
# Checks the node in this container without starting a JVM: fetches PATH (default: /livez) from its HTTP port. /readyz
# checks that the node serves clients. If the port uses TLS, checks only that it accepts connections.
#
# Exit codes:
#   0   healthy
#   1   unhealthy; the message gives the reason
set -uo pipefail

path="${1:-/livez}"
case "$path" in
  -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0"; exit 0 ;;
esac

unhealthy() { printf '%s\n' "$*"; exit 1; }

# Prints the value of httpConfig.KEY: that of variable FJORDMQ_HTTPCONFIG__KEY, or that in the configuration file.
configured() { # KEY of the file
  local variable="FJORDMQ_HTTPCONFIG__${1^^}"
  [ -z "${!variable+set}" ] || { printf '%s' "${!variable}"; return; }
  sed -n '/^httpConfig:/,/^[a-zA-Z]*Config:/p' "$home/conf/standalone.yml" 2>/dev/null |
    sed -n "s/^[^#]*\b$1:[[:space:]]*['\"]\{0,1\}\([^][:space:]#,}'\"]*\).*/\1/p" | head -n 1
}

# The node writes the file when it is ready. Until then, the port is the configured one.
home="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
url="$(sed -n 's/^http=//p' "$FJORDMQ_DATADIR/fjordmq.pid" 2>/dev/null)"
if [ -z "$url" ]; then
  scheme=http port="$(configured port)"
  [ -z "$(configured certFile)" ] || scheme=https
  url="$scheme://127.0.0.1:${port:-18083}"
fi
address="${url#*://}"
host="${address%:*}" port="${address##*:}"
case "$host" in 0.0.0.0 | '[::]') host=127.0.0.1 ;; esac
host="${host#[}" host="${host%]}"

{ exec 3<>"/dev/tcp/$host/$port"; } 2>/dev/null || unhealthy "cannot connect to $url"
case "$url" in https:*) exit 0 ;; esac
printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$path" >&3
IFS= read -r -t 5 status <&3 || unhealthy "no response from $url$path within 5 s"
case "$status" in *' 200 '*) exit 0 ;; esac
unhealthy "$url$path: ${status%$'\r'}; $(sed '1,/^\r*$/d' <&3 | head -n 5)"
