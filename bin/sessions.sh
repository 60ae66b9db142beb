#!/usr/bin/env bash
# Weighs very many sessions of one node, whose clients are in its process and need no sockets: bin/sessions.sh [COUNT [clean|persistent]]
# Default: a million clean ones. The heap has 4 GB: with more needed than that the run fails.
set -euo pipefail
cd "$(dirname "$0")/.."
mvn -B -q -DskipTests package dependency:build-classpath -Dmdep.outputFile=target/classpath.txt
exec java -Dlogback.configurationFile=perf/target/classes/logback.xml -Xmx4g -XX:+UseSerialGC -Dcom.google.protobuf.use_unsafe_pre22_gencode=true --enable-native-access=ALL-UNNAMED \
  -cp "perf/target/classes:$(cat perf/target/classpath.txt)" io.fjordmq.perf.sessions.ManySessions "${1:-1000000}" "${2:-clean}"
