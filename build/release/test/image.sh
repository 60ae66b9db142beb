# shellcheck shell=bash
# Tests the container images: deploy/image/test.sh --help. Sourced by bin/test-release.sh.

test_image() {
  need apt-get:apt unzip readelf:binutils python3
  # Without these programs, the images are checked, but not run.
  (need podman runc mosquitto_pub:mosquitto-clients) || [ $? -eq 77 ]
  local code=0
  [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || need debian-keyring:debian-archive-keyring
  "$HOME_DIR/bin/release.sh" --only image || code=$?
  [ "$code" -ne 77 ] || skip 'the Debian packages of the image cannot be downloaded; see above'
  [ "$code" -eq 0 ] || return "$code"
  "$HOME_DIR/deploy/image/test.sh" "$RELEASE"
}
