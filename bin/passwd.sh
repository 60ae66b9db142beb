#!/usr/bin/env bash
# Edits a password file: bin/passwd.sh --help
set -Eeuo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() {
  cat <<'HELP'
Usage:
  bin/passwd.sh [-c] FILE USER
  bin/passwd.sh [-c] -b FILE USER PASSWORD
  bin/passwd.sh -D FILE USER
  bin/passwd.sh -U FILE

Adds, changes and removes the users in a password file (securityConfig.passwordFile).

Without an option, passwd.sh adds USER or changes the user's password. It prompts for the password twice on a terminal;
otherwise it reads the password from the first line of standard input.

Options:
  -c           create FILE; an existing file is replaced
  -b           take the password from the command line, where other users of the host can see it
  -D           remove USER
  -U           hash the passwords in a file of USER:PASSWORD lines; hashed lines stay unchanged
  -h, --help   print this help
  --version    print the version

Passwords are hashed with Argon2id. Lines written by mosquitto_passwd stay unchanged. The file is replaced atomically
and is readable by its owner only. A running node that uses the file loads the new version within a second.

Environment:
  FJORDMQ_JAVA   java executable, 17 or newer (default: the runtime of an archive with Java, else
                 JAVA_HOME/bin/java, else java in PATH)

Examples:
  bin/passwd.sh -c conf/passwords alice
  bin/passwd.sh conf/passwords bob <password.txt
  bin/passwd.sh -D conf/passwords bob

Exit codes:
  0   success
  1   failure; the message gives the reason
  2   invalid usage
HELP
}

die() { printf '%s\n' "passwd: $1" >&2; exit "${2:-1}"; }

case "${1:-}" in
  -h | --help) usage; exit 0 ;;
  --version) version; exit 0 ;;
  '') usage >&2; exit 2 ;;
esac
[ -d "$LIB_DIR" ] || die "FjordMQ is not built; run bin/standalone.sh build"

JAVA="${FJORDMQ_JAVA:-}"
[ -n "$JAVA" ] || { [ -n "${JAVA_HOME:-}" ] && JAVA="$JAVA_HOME/bin/java"; } || JAVA="$(command -v java || true)"
[ -x "$JAVA" ] || die "no Java found; install a JDK 17 or newer, or set JAVA_HOME"
exec "$JAVA" -Xshare:auto -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$LIB_DIR/*" \
  io.fjordmq.broker.security.PasswordCommand "$@"
