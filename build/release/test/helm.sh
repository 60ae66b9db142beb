# shellcheck shell=bash
# Tests the Helm chart: deploy/helm/test.sh --help. Sourced by bin/test-release.sh.

test_helm() {
  need python3
  "$HOME_DIR/deploy/helm/test.sh" --node "$RELEASE/stage/linux-$(uname -m)/fjordmq-$VERSION"
}
