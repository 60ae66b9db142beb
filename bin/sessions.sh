#!/usr/bin/env bash
# Weighs very many sessions of one node, whose clients are in its process and need no sockets: bin/sessions.sh [COUNT [clean|persistent]]
# Default: a million clean ones. The heap has 4 GB: with more needed than that the run fails.
# JAVA_HOME names the Java to run it with; from 25 on it saves memory with compact object headers, as bin/standalone.sh does.
set -euo pipefail
case "${1:-}" in -h | --help) sed -n '2,4s/^# //p' "$0"; exit 0 ;; esac
cd "$(dirname "$0")/.."
mvn -B -q -DskipTests package dependency:build-classpath -Dmdep.outputFile=target/classpath.txt
compact=()
"${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:+UseCompactObjectHeaders -version >/dev/null 2>&1 && compact=(-XX:+UseCompactObjectHeaders)
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Dlogback.configurationFile=perf/target/classes/logback.xml -Xmx4g -Xmn256m -XX:+UseSerialGC "${compact[@]}" -Dcom.google.protobuf.use_unsafe_pre22_gencode=true --enable-native-access=ALL-UNNAMED \
  -cp "perf/target/classes:$(cat perf/target/classpath.txt)" io.fjordmq.perf.sessions.ManySessions "${1:-1000000}" "${2:-clean}"
