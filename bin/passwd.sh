#!/usr/bin/env bash
# Edits a password file: bin/passwd.sh --help
set -Eeuo pipefail

HOME_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
LIB_DIR="$HOME_DIR/broker-server/target/fjordmq/lib"

usage() {
  cat <<'HELP'
bin/passwd.sh [-c] FILE USER               adds USER or changes the password, which is asked for (twice on a terminal;
                                           else it is the first line of standard input)
bin/passwd.sh [-c] -b FILE USER PASSWORD   the same with the password on the command line, where others can see it
bin/passwd.sh -D FILE USER                 removes USER
bin/passwd.sh -U FILE                      hashes a file of USER:PASSWORD lines; lines that are hashed stay

  -c   makes the file; one that is there is replaced

Passwords are hashed with Argon2id. The file is replaced at once and readable by its owner only; a node that uses it
(securityConfig.passwordFile) takes it over within a second. Lines made by mosquitto_passwd stay as they are.

Exit codes: 0 done; 1 failed, the reason is printed; 2 wrong usage.
HELP
}

die() { printf '%s\n' "passwd: $1" >&2; exit "${2:-1}"; }

case "${1:-}" in
  -h | --help) usage; exit 0 ;;
  '') usage >&2; exit 2 ;;
esac
[ -d "$LIB_DIR" ] || die "there is no build yet; bin/standalone.sh start makes it"

JAVA="${FJORDMQ_JAVA:-}"
[ -n "$JAVA" ] || { [ -n "${JAVA_HOME:-}" ] && JAVA="$JAVA_HOME/bin/java"; } || JAVA="$(command -v java || true)"
[ -x "$JAVA" ] || die "there is no Java; install a JDK of version 17 or newer, or set JAVA_HOME"
exec "$JAVA" -Xshare:auto -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$LIB_DIR/*" \
  io.fjordmq.broker.security.PasswordCommand "$@"
