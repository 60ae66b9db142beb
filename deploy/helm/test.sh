#!/usr/bin/env bash
# Usage: deploy/helm/test.sh [OPTION]...
#
# Tests the Helm chart without a Kubernetes cluster: lints it, renders it with several sets of values, compares the
# results with the files in deploy/helm/test/golden, validates them against the schemas of the oldest and newest
# supported version of Kubernetes, and checks that invalid values are refused and that variables, ports and paths match
# FjordMQ.
#
# Options:
#   --node DIR   also check that a node of this installation or checkout accepts the variables that the chart sets
#   --update     write the golden files
#   -h, --help   print this help
#   --version    print the version
#
# Helm is taken from FJORDMQ_HELM, the cache or PATH; otherwise, Go builds it, which takes several minutes. The schemas
# come from the Python package kubernetes-validate, about 110 MB. Both are kept in the cache.
#
# Environment:
#   FJORDMQ_HELM        helm program to use
#   FJORDMQ_CACHE_DIR   directory of the cache (default: ~/.cache/fjordmq)
#
# Exit codes:
#   0   success
#   1   a check failed
#   2   invalid usage
#   77  Helm, Python or the schemas are not installed, and cannot be installed here
set -euo pipefail
# shellcheck source=bin/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../bin/lib.sh"
SCRIPT_FILE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/test.sh"
handle_help_and_version "$@"

HELM_VERSION=v3.22.0
VALIDATE_VERSION=1.37.0
CACHE="${FJORDMQ_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/fjordmq}"
CHART="$HOME_DIR/deploy/helm"

NODE='' UPDATE=''
while [ $# -gt 0 ]; do
  case "$1" in
    --node)
      [ -x "${2:-}/bin/fjordmq" ] || fail "--node requires a directory that contains bin/fjordmq, not '${2:-}'"
      NODE="$2"
      shift
      ;;
    --update) UPDATE=--update ;;
    *) fail "unknown option '$1'; see --help" ;;
  esac
  shift
done

find_helm() {
  local candidate
  for candidate in "${FJORDMQ_HELM:-/none}" "$CACHE/helm-$HELM_VERSION/helm" "$(command -v helm || echo /none)" \
    "$HOME/go/bin/helm"; do
    [ -x "$candidate" ] || continue
    case "$("$candidate" version --short 2>/dev/null)" in v3.*) HELM="$candidate"; return 0 ;; esac
  done
  return 1
}

if ! find_helm; then
  command -v go >/dev/null || fail "Helm 3 is not installed, and there is no Go to build it; install one of them" 77
  printf '%s: building Helm %s, which takes several minutes\n' "$SCRIPT_NAME" "$HELM_VERSION"
  mkdir -p "$CACHE/helm-$HELM_VERSION"
  GOBIN="$CACHE/helm-$HELM_VERSION" go install "helm.sh/helm/v3/cmd/helm@$HELM_VERSION" \
    || fail "cannot build Helm; see the output above" 77
  find_helm || fail "the Helm that was built in $CACHE does not run" 77
fi

command -v python3 >/dev/null || fail "Python 3 is not installed" 77
VENV="$CACHE/kubernetes-validate-$VALIDATE_VERSION"
if [ ! -e "$VENV/complete" ]; then
  rm -rf "$VENV"
  mkdir -p "$CACHE"
  python3 -m venv "$VENV" || fail "cannot create a Python environment; see the output above" 77
  "$VENV/bin/pip" -q install "kubernetes-validate==$VALIDATE_VERSION" \
    || fail "cannot install kubernetes-validate; see the output above" 77
  touch "$VENV/complete"
fi

PYTHONDONTWRITEBYTECODE=1 exec "$VENV/bin/python" "$CHART/test/check.py" "$HELM" "$NODE" $UPDATE
