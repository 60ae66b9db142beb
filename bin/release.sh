#!/usr/bin/env bash
# Usage: bin/release.sh [OPTION]...
#
# Builds the artifacts of a release from the last commit and writes them to target/release. The same commit, version,
# JDK and Maven always produce the same files. Requires git, Maven 3.8 or newer and a JDK 17 or newer.
#
# Parts:
#   stage     stage/linux-ARCH/fjordmq-VERSION: the files of an installation, which the other parts package
#   runtime   stage/linux-ARCH-with-java/fjordmq-VERSION: the same files and a Java runtime, made with jlink; only for
#             the architecture of this host
#   archive   fjordmq-VERSION-linux-ARCH.tar.gz and, if there is a runtime, fjordmq-VERSION-linux-ARCH-with-java.tar.gz
#   deb       fjordmq_VERSION_ARCH.deb; requires dpkg-deb
#   rpm       fjordmq-VERSION-1.ARCH.rpm; requires rpmbuild
#   image     fjordmq-VERSION-ARCH.oci.tar, a container image; requires apt-get and unzip (deploy/image/build.sh)
#
# SHA256SUMS contains the checksums of all artifacts in target/release.
#
# Options:
#   --version V    version of the artifacts (default: the version in pom.xml); without V, print the version
#   --only PARTS   comma-separated parts to build; the stage is always built (default: all)
#   --arch ARCHS   comma-separated architectures to build for: x86_64, aarch64 (default: both)
#   -h, --help     print this help
#
# Examples:
#   bin/release.sh
#   bin/release.sh --version 0.1.0 --only deb,rpm --arch x86_64
#
# Exit codes:
#   0   success
#   1   failure; the message gives the reason
#   2   invalid usage
#   77  all other parts were built, but the Debian packages of the image cannot be downloaded
set -Eeuo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[ $# -gt 1 ] || handle_help_and_version "$@"
for part in jars stage runtime archive packages; do
  # shellcheck source=/dev/null
  . "$HOME_DIR/build/release/$part.sh"
done

# Modes, times and texts in the artifacts must not depend on who builds them, and where.
umask 022
export TZ=UTC LC_ALL=C.UTF-8

PARTS=(stage runtime archive deb rpm image)
ARCHS=(x86_64 aarch64)
RELEASE="$HOME_DIR/target/release"
VERSION=''
# shellcheck disable=SC2034 # build/release/packages.sh uses it
MAINTAINER='FjordMQ contributors <fjordmq@users.noreply.github.com>' # packages must name an address

step() { printf '== %s\n' "$*" >&2; }

git_here() { git -c "safe.directory=$HOME_DIR" -C "$HOME_DIR" "$@"; }

# Runs program $1 in build/release with its arguments.
java_tool() {
  local program="$1"
  shift
  "${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp "$WORK/source/broker-server/target/fjordmq/lib/*" \
    "$HOME_DIR/build/release/$program.java" "$@"
}

# Sets array $1 to the comma-separated values $2, which must be among the values that follow.
choose() {
  local -n chosen="$1"
  local value list="$2"
  shift 2
  IFS=, read -r -a chosen <<<"$list"
  for value in "${chosen[@]}"; do
    case " $* " in *" $value "*) ;; *) fail "unknown value '$value'; must be one of: $*; see --help" ;; esac
  done
}

while [ $# -gt 0 ]; do
  case "$1" in
    --version | --only | --arch) [ -n "${2:-}" ] || fail "option $1 requires a value; see --help" ;;
    *) fail "unknown option '$1'; see --help" ;;
  esac
  case "$1" in
    --version) VERSION="$2" ;;
    --only) choose PARTS "$2" "${PARTS[@]}" ;;
    --arch) choose ARCHS "$2" "${ARCHS[@]}" ;;
  esac
  shift 2
done

VERSION="${VERSION:-$(version | sed 's/.* //')}"
[[ "$VERSION" =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || fail "--version must be a semantic version, such as 1.2.3 or 1.2.3-rc.1, not '$VERSION'"
COMMIT="$(git_here rev-parse --verify HEAD)" || fail "$HOME_DIR is not a git checkout" 1
SOURCE_DATE_EPOCH="$(git_here show -s --format=%ct "$COMMIT")"
export SOURCE_DATE_EPOCH
WORK="$RELEASE/work/$VERSION"
[ -z "$(git_here status --porcelain)" ] || step "warning: uncommitted changes are not part of the release"

has_part() { case " ${PARTS[*]} " in *" $1 "*) ;; *) return 1 ;; esac }

checksums() {
  cd "$RELEASE"
  find . -maxdepth 1 -type f -name 'fjordmq[_-]*' ! -name '*.new' -printf '%P\0' | sort -z | xargs -0r sha256sum >SHA256SUMS
}

# Builds the image for architecture $1. Without the packages of Debian, only the image is missing.
build_image() {
  local code=0
  "$HOME_DIR/deploy/image/build.sh" "$1" "$(stage_folder "$1")" "$VERSION" "$RELEASE" || code=$?
  [ "$code" -eq 0 ] || [ "$code" -eq 77 ] || exit "$code"
  CODE="$code"
}

CODE=0
build_jars
for arch in "${ARCHS[@]}"; do
  stage "$arch"
  ! has_part runtime || stage_with_java "$arch"
  if has_part archive; then
    archive "$arch"
    ! has_part runtime || archive "$arch-with-java"
  fi
  ! has_part deb || build_deb "$arch"
  ! has_part rpm || build_rpm "$arch"
  ! has_part image || build_image "$arch"
done
(checksums)
step "finished: $RELEASE"
exit "$CODE"
