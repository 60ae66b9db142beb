#!/usr/bin/env bash
# Tests that the build finds incompatible changes of broker-api, by comparing it with older versions that the test makes
# from it. bin/test.sh runs it after Maven has built broker-api.
set -uo pipefail
cd "$(dirname "$0")/../../../.." || exit 2
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
failures=0

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# Makes $folder/$1.jar from the sources in $folder/$1.
old_version() {
  mkdir "$folder/$1.classes"
  find "$folder/$1" -name '*.java' ! -name module-info.java >"$folder/$1.files"
  javac -nowarn -proc:none --release 17 -d "$folder/$1.classes" -cp "$jspecify" @"$folder/$1.files" >"$folder/$1.log" 2>&1 \
    && jar --create --file "$folder/$1.jar" -C "$folder/$1.classes" . || { fail "cannot compile $1: $(cat "$folder/$1.log")"; return 1; }
}

compare() { # with old version $1; prints the report
  mvn -B -ntp -pl broker-api -Papi-compatibility "-Dapi.baseline=$folder/$1.jar" \
    com.github.siom79.japicmp:japicmp-maven-plugin:cmp@api-compatibility 2>&1
}

jspecify="$(find "${HOME:-/}/.m2/repository/org/jspecify/jspecify" -name 'jspecify-*.jar' 2>/dev/null | head -n 1)"
[ -n "$jspecify" ] && compgen -G 'broker-api/target/broker-api-*.jar' >/dev/null || { echo "FAILED: build broker-api first: mvn package -pl broker-api"; exit 1; }

for version in same removed added; do cp -r broker-api/src/main/java "$folder/$version"; done
# Today's broker-api lacks a class and a method of this old version,
printf 'package io.fjordmq.api;\n\npublic final class Gone {}\n' >"$folder/removed/io/fjordmq/api/Gone.java"
sed -i 's/^public interface Authorizer .*{$/&\n  default void gone() {}\n/' "$folder/removed/io/fjordmq/api/plugin/Authorizer.java"
# and requires plugins to implement a method that this one did not have.
sed -i 's/^  CompletionStage<Authentication> authenticate(ConnectAttempt attempt);$//' \
  "$folder/added/io/fjordmq/api/plugin/Authenticator.java"
for version in same removed added; do old_version "$version"; done

output="$(compare same)" || fail "the same version is not compatible: $output"
! output="$(compare removed)" || fail "removals are not found: $output"
[[ "$output" == *Gone* && "$output" == *'gone()'* ]] || fail "the report does not name the removed class and method: $output"
! output="$(compare added)" || fail "an added abstract method is not found: $output"
[[ "$output" == *'authenticate('* ]] || fail "the report does not name the added method: $output"

[ "$failures" -eq 0 ] && echo "api-compatibility passed" || { echo "api-compatibility: $failures failed"; exit 1; }
