# shellcheck shell=bash
# For the tests in this directory. Sourced from the FjordMQ directory, not executed.

# Makes an installation without sources in directory $1, as an administrator copies it to a host. Its node uses ports
# that are free: those of the cluster are below the ephemeral ports, which an outgoing connection could take at any time.
install_into() {
  [ -d broker-server/target/fjordmq/lib ] || bin/standalone.sh build || return 1
  mkdir -p "$1/broker-server/target"
  cp -r bin conf "$1/"
  cp -r broker-server/target/fjordmq "$1/broker-server/target/"
  rm -f "$1"/broker-server/target/fjordmq/*.jsa "$1"/broker-server/target/fjordmq/*.aot*
  sed -i -e 's/^\( *port:\) 1883\b/\1 0/' -e 's/^\( *port:\) 18083\b/\1 0/' \
    -e "s/^\( *port:\) 8899\b/\1 $((20000 + RANDOM % 12000))/" "$1/conf/standalone.yml"
}
