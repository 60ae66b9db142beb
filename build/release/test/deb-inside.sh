#!/usr/bin/env bash
# Installs, upgrades, removes and purges the package. Runs as root in a Debian root directory with network and process
# namespaces of its own: build/release/test/deb.sh starts it. /test contains old.deb and new.deb.
set -Eeuo pipefail
trap 'echo "FAILED: line $LINENO of deb-inside.sh" >&2' ERR

fail() { echo "FAILED: $*" >&2; exit 1; }
wait_for() { # what, seconds, command...
  local what="$1" deadline=$((SECONDS + $2))
  shift 2
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || fail "$what"
    sleep 0.1
  done
}
installed_version() { dpkg-query -W -f '${Version}' fjordmq; }
is_stopped() { [ "$(systemctl show --property=ActiveState --value fjordmq.service)" = inactive ]; }
mode_of() { stat -c '%a %U:%G' "$1"; }
require_mode() { [ "$(mode_of "$1")" = "$2" ] || fail "$1 is $(mode_of "$1"), expected: $2"; }

ip link set lo up
echo '127.0.0.1 localhost' >/etc/hosts
mkdir -p /run/systemd/system # maintainer scripts look for it

echo "-- install"
dpkg -i /test/old.deb >/test/dpkg.log 2>&1 || fail "dpkg -i: $(cat /test/dpkg.log)"
grep -q 'systemctl enable --now fjordmq' /test/dpkg.log || fail "the installation does not say how to start the node"
is_stopped || fail "the installation started the node"
require_mode /var/lib/fjordmq '700 fjordmq:fjordmq'
require_mode /var/log/fjordmq '750 fjordmq:fjordmq'
require_mode /etc/fjordmq/standalone.yml '640 root:fjordmq'
[ -z "$(ls /var/lib/fjordmq)" ] || fail "the installation left files in /var/lib/fjordmq"

echo "-- build"
script=/usr/share/fjordmq/bin/standalone.sh
! "$script" build >/test/build.log 2>&1 || fail "root can write to the cache of fjordmq: $(cat /test/build.log)"
grep -q 'sudo -u fjordmq' /test/build.log || fail "build as root prints: $(cat /test/build.log)"
runuser -u fjordmq -- "$script" build >/test/build.log 2>&1 || fail "build: $(cat /test/build.log)"

echo "-- upgrade of a node that waits for others"
chmod 644 /etc/fjordmq/fjordmq.env
{ echo FJORDMQ_EXPECTNODES=2; echo FJORDMQ_CLUSTERCONFIG__SEEDENDPOINTS=127.0.0.1:1; } >>/etc/fjordmq/fjordmq.env
systemctl start --no-block fjordmq.service
pid="$(cat /run/unit/pid)"
wait_for "the node does not wait for others" 60 grep -qs 'found 1 of 2 nodes' /var/log/fjordmq/fjordmq.log
[ "$(systemctl show --property=ActiveState --value fjordmq.service)" = activating ] || fail "the node is ready alone"
sed -i '/^FJORDMQ_/d' /etc/fjordmq/fjordmq.env # so that it need not wait after the upgrade
dpkg -i /test/old.deb >/test/dpkg.log 2>&1 || fail "upgrade: $(cat /test/dpkg.log)"
systemctl --quiet is-active fjordmq.service || fail "the node does not run after the upgrade: $(cat /test/dpkg.log)"
[ "$(cat /run/unit/pid)" != "$pid" ] || fail "the upgrade did not stop the node that waited"
require_mode /etc/fjordmq/fjordmq.env '644 root:fjordmq'
systemctl stop fjordmq.service

echo "-- start"
systemctl enable --now fjordmq.service
pid="$(cat /run/unit/pid)"
[ "$(stat -c %U "/proc/$pid")" = fjordmq ] || fail "the node does not run as fjordmq"
fjordmq status >/test/status || fail "fjordmq status: $(cat /test/status)"
[ -s /var/log/fjordmq/fjordmq.log ] || fail "no log in /var/log/fjordmq"
mosquitto_pub -q 1 -r -t kept -m before
[ "$(mosquitto_sub -t kept -C 1 -W 10)" = before ] || fail "the retained message does not arrive"

echo "-- upgrade under load"
# The subscriber has a persistent session. Each publisher repeats a message until it is acknowledged.
mosquitto_sub -c -q 1 -i subscriber -t 'load/#' --quiet >/test/received 2>/dev/null &
subscriber=$!
wait_for "the subscriber does not connect" 10 eval 'mosquitto_pub -q 1 -t load/0 -m ping && grep -qs ping /test/received'
publish() { # publisher $1
  local number=0
  while [ ! -e /test/enough ]; do
    number=$((number + 1))
    until mosquitto_pub -c -q 1 -i "publisher-$1" -t "load/$1" -m "$1-$number" 2>/dev/null; do sleep 0.05; done
    echo "$1-$number" >>"/test/acknowledged-$1"
  done
}
publishers=()
for publisher in 1 2 3 4; do
  publish "$publisher" &
  publishers+=($!)
done
acknowledged() { [ "$(cat /test/acknowledged-* 2>/dev/null | wc -l)" -ge "$1" ]; }
wait_for "the publishers do not publish" 60 acknowledged 200
echo '# kept by upgrades' >>/etc/fjordmq/standalone.yml
dpkg --force-confold -i /test/new.deb >/test/dpkg.log 2>&1 || fail "upgrade: $(cat /test/dpkg.log)"
before="$(cat /test/acknowledged-* | wc -l)"
systemctl --quiet is-active fjordmq.service || fail "the node does not run after the upgrade: $(cat /test/dpkg.log)"
[ "$(cat /run/unit/pid)" != "$pid" ] || fail "the upgrade did not restart the node"
wait_for "the publishers do not continue after the upgrade" 60 acknowledged $((before + 200))
: >/test/enough
wait "${publishers[@]}"
everything_arrived() {
  [ -z "$(cat /test/acknowledged-* | sort | comm -23 - <(sort -u /test/received))" ]
}
wait_for "lost messages: $(cat /test/acknowledged-* | sort | comm -23 - <(sort -u /test/received) | head -n 5)" 30 everything_arrived
kill "$subscriber"
echo "   $(cat /test/acknowledged-* | wc -l) acknowledged, 0 lost"
grep -q 'kept by upgrades' /etc/fjordmq/standalone.yml || fail "the upgrade replaced the configuration"
[ "$(fjordmq --version)" = "FjordMQ $(cat /test/new.version)" ] || fail "$(fjordmq --version) after the upgrade"
[ "$(ls /usr/share/fjordmq/lib/broker/broker-server-*.jar | wc -l)" -eq 1 ] || fail "jars of the old version are left"
[ "$(mosquitto_sub -t kept -C 1 -W 10)" = before ] || fail "the retained message is lost"

echo "-- stop after a change of dataDir"
drains() { grep -c 'stopping without draining' /var/log/fjordmq/fjordmq.log; } # it has no other node
before="$(drains)"
sed -i.kept 's|^dataDir: [^ ]*|dataDir: /var/lib/fjordmq/other|' /etc/fjordmq/standalone.yml
systemctl stop fjordmq.service
[ "$(drains)" -eq $((before + 1)) ] || fail "the node did not try to drain when it was stopped"
mv /etc/fjordmq/standalone.yml.kept /etc/fjordmq/standalone.yml
systemctl start fjordmq.service

echo "-- upgrade with a configuration that is valid only with the environment"
sed -i.kept 's|^logDir: [^ ]*|logDir: /no/such/directory|' /etc/fjordmq/standalone.yml
echo FJORDMQ_LOGDIR=/var/log/fjordmq >>/etc/fjordmq/fjordmq.env
dpkg --force-confold -i /test/new.deb >/test/dpkg.log 2>&1 || fail "the upgrade fails: $(cat /test/dpkg.log)"
systemctl --quiet is-active fjordmq.service || fail "the node does not run after the upgrade: $(cat /test/dpkg.log)"
mv /etc/fjordmq/standalone.yml.kept /etc/fjordmq/standalone.yml
sed -i '/^FJORDMQ_/d' /etc/fjordmq/fjordmq.env

echo "-- upgrade with a configuration that the node does not accept"
echo 'noSuchKey: 1' >>/etc/fjordmq/standalone.yml
dpkg --force-confold -i /test/new.deb >/test/dpkg.log 2>&1 || fail "the upgrade fails: $(cat /test/dpkg.log)"
grep -q "not started; to see why, run 'journalctl" /test/dpkg.log || fail "the upgrade does not say how to see the reason: $(cat /test/dpkg.log)"
grep -q 'noSuchKey' /run/unit/journal || fail "the journal does not give the reason: $(tail -n 20 /run/unit/journal)"
is_stopped || fail "the node was started with an invalid configuration"
sed -i '/^noSuchKey/d' /etc/fjordmq/standalone.yml

echo "-- remove and install again"
systemctl start fjordmq.service
: >/run/fjordmq.restart # as an upgrade that failed leaves it
dpkg -r fjordmq >/test/dpkg.log 2>&1 || fail "dpkg -r: $(cat /test/dpkg.log)"
is_stopped || fail "the removal did not stop the node"
[ -d /var/lib/fjordmq ] && [ -f /etc/fjordmq/standalone.yml ] || fail "the removal deleted data or configuration"
dpkg -i /test/new.deb >/test/dpkg.log 2>&1 || fail "dpkg -i: $(cat /test/dpkg.log)"
is_stopped || fail "the installation started the node"
systemctl start fjordmq.service
[ "$(mosquitto_sub -t kept -C 1 -W 10)" = before ] || fail "the retained message is lost"

echo "-- purge"
dpkg -P fjordmq >/test/dpkg.log 2>&1 || fail "dpkg -P: $(cat /test/dpkg.log)"
is_stopped || fail "purging did not stop the node"
left="$(find /etc/fjordmq /var/lib/fjordmq /var/log/fjordmq /var/cache/fjordmq /usr/share/fjordmq /usr/bin/fjordmq \
  2>/dev/null || true)"
[ -z "$left" ] || fail "purging left $left"
! getent passwd fjordmq >/dev/null || fail "purging left the user"
