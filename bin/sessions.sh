#!/usr/bin/env bash
# Usage: bin/sessions.sh [COUNT [clean|persistent]]
#
# Measures the memory of a large number of sessions on one node. The clients run in the node's process and need no
# sockets. The heap is limited to 4 GB; the run fails if the sessions need more.
#
#   COUNT              number of sessions (default: 1000000)
#   clean|persistent   kind of session (default: clean)
#
# Options:
#   -h, --help         print this help
#   --version          print the version
#
# Environment:
#   JAVA_HOME          JDK to use (default: java in PATH). Java 25 and newer save memory with compact object headers,
#                      which bin/standalone.sh enables as well.
#
# Examples:
#   bin/sessions.sh
#   bin/sessions.sh 100000 persistent
#
# Exit codes:
#   0   the measurement finished
#   1   the build or the measurement failed, or the arguments are invalid
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
answer_help_and_version "$@"
cd "$HOME_DIR"
mvn -B -q -DskipTests package dependency:build-classpath -Dmdep.outputFile=target/classpath.txt
compact=()
"${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:+UseCompactObjectHeaders -version >/dev/null 2>&1 && compact=(-XX:+UseCompactObjectHeaders)
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Dlogback.configurationFile=perf/target/classes/logback.xml -Xmx4g -Xmn256m -XX:+UseSerialGC "${compact[@]}" -Dcom.google.protobuf.use_unsafe_pre22_gencode=true --enable-native-access=ALL-UNNAMED \
  -cp "perf/target/classes:$(cat perf/target/classpath.txt)" io.fjordmq.perf.sessions.ManySessions "${1:-1000000}" "${2:-clean}"
