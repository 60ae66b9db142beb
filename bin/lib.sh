# shellcheck shell=bash
# Functions that the scripts in this directory share. Sourced, not executed.

HOME_DIR="$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)"
SCRIPT_FILE="$HOME_DIR/bin/${0##*/}" # the script that sources this file
SCRIPT_NAME="${0##*/}"

# An installation has its jars in lib, and nothing to build. A checkout builds them in broker-server/target.
# LIB_DIR: jars of the broker; CLI_DIR: jars of bin/fjordmq; OUT_DIR: class archives, which any user may share.
# shellcheck disable=SC2034 # the scripts use them
if [ -d "$HOME_DIR/lib/broker" ]; then
  LIB_DIR="$HOME_DIR/lib/broker" CLI_DIR="$HOME_DIR/lib/cli" OUT_DIR="$HOME_DIR/cache"
  BUILD_LOCK="$OUT_DIR/build.lock"
else
  OUT_DIR="$HOME_DIR/broker-server/target/fjordmq"
  LIB_DIR="$OUT_DIR/lib" CLI_DIR="$OUT_DIR/cli"
  BUILD_LOCK="$HOME_DIR/broker-server/target/build.lock" # not in OUT_DIR, which a build deletes
fi

# The archives "with-java" contain a runtime.
[ ! -x "$HOME_DIR/runtime/bin/java" ] || FJORDMQ_JAVA="${FJORDMQ_JAVA:-$HOME_DIR/runtime/bin/java}"

# Prints the version of this source tree, or of the jar in an installation without sources.
version() {
  local version='' jar
  # The first <version> in the pom is the project's own, because the project has no parent.
  if [ -f "$HOME_DIR/pom.xml" ]; then
    version="$(sed -n '/<version>/{s/.*<version>\(.*\)<\/version>.*/\1/p;q;}' "$HOME_DIR/pom.xml")"
  else
    for jar in "$LIB_DIR"/broker-server-*.jar; do
      [ ! -f "$jar" ] || { version="${jar##*/broker-server-}"; version="${version%.jar}"; }
    done
  fi
  printf 'FjordMQ %s\n' "${version:-(unknown version)}"
}

# Prints the comment at the top of the script, which is its help text.
header_help() { sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$SCRIPT_FILE"; }

# Handles --help and --version if one of them is the first argument.
handle_help_and_version() {
  case "${1:-}" in
    -h | --help) header_help; exit 0 ;;
    --version) version; exit 0 ;;
  esac
}

# Prints an error and exits with code $2, or 2.
fail() { printf '%s: %s\n' "$SCRIPT_NAME" "$1" >&2; exit "${2:-2}"; }

# Requires that every argument after the first is a whole number; $1 names the argument in the error message.
require_number() {
  local name="$1" value
  shift
  for value in "$@"; do
    case "$value" in '' | *[!0-9]*) fail "$name must be a whole number, not '$value'; see --help" ;; esac
  done
}

# Sets BUILD_OPTIONS for Maven. Users need neither tests nor static checks, which take most of the time. In a checkout
# whose tests have been compiled, Maven also skips what has not changed since.
choose_build_options() {
  BUILD_OPTIONS=(-DskipTests)
  [ -d "$HOME_DIR/broker-api/target/test-classes" ] || BUILD_OPTIONS=(-Pwithout-checks -Dmaven.test.skip=true)
}

# --- a node on this host: bin/standalone.sh and bin/fjordmq -----------------------------------------------------

CONFIG="$HOME_DIR/conf/standalone.yml" # -c
BASE='' # -d

say() { printf '%s\n' "fjordmq: $*"; }
die() { printf '%s\n' "fjordmq: $1" >&2; exit "${2:-1}"; }

# Prints path $1, made absolute with $2 or the current directory.
absolute() {
  case "$1" in
    /*) printf '%s' "$1" ;;
    *) printf '%s' "${2:-$PWD}/$1" ;;
  esac
}

# Prints a top-level key of the configuration file without comment and quotes, or the default $2.
file_value() {
  local value
  value="$(sed -n "/^$1:/{s/^$1:[[:space:]]*//p;q;}" "$CONFIG" | sed -e 's/[[:space:]]*#.*$//' -e 's/[[:space:]]*$//' \
    -e "s/^[\"']\(.*\)[\"']\$/\1/")"
  printf '%s' "${value:-$2}"
}

# Sets DATA_DIR and LOG_DIR.
find_directories() {
  [ -f "$CONFIG" ] || die "configuration file not found: $CONFIG; name an existing file with -c" 2
  [ -r "$CONFIG" ] || die "user $(id -un) cannot read $CONFIG; run this command as root or as the user that runs the node, or name another file with -c" 2
  if [ -n "$BASE" ]; then
    DATA_DIR="$BASE/data"
    LOG_DIR="$BASE/logs"
  else
    DATA_DIR="$(absolute "${FJORDMQ_DATADIR:-$(file_value dataDir data)}" "$HOME_DIR")"
    # shellcheck disable=SC2034 # bin/standalone.sh uses it
    LOG_DIR="$(absolute "${FJORDMQ_LOGDIR:-$(file_value logDir logs)}" "$HOME_DIR")"
  fi
}

# Runs function $1. Two builds at once would delete each other's files: the second one waits, and finds the build of
# the first.
as_only_build() {
  mkdir -p "${BUILD_LOCK%/*}"
  (
    if command -v flock >/dev/null; then
      flock -n 9 || { say "waiting for another build of FjordMQ in this directory"; flock 9; }
    fi
    "$1"
  ) 9>"$BUILD_LOCK" || exit $?
}
