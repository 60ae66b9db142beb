# shellcheck shell=bash
# Checks of entrypoint.sh and healthcheck.sh without an image: the start script is replaced by one that prints its
# environment. Sourced by ../test.sh, which sets here and work.
# shellcheck disable=SC2154

check_scripts() {
  installation="$work/installation"
  mkdir -p "$installation/bin" "$installation/conf" "$installation/data"
  cp "$here/entrypoint.sh" "$here/healthcheck.sh" "$installation/bin/"
  printf '%s\n' '#!/usr/bin/env bash' "env -0 | tr '\n\0' ' \n'" >"$installation/bin/standalone.sh"
  chmod +x "$installation/bin/standalone.sh"
  check_authentication_variables
  check_authentication_file
  check_cluster_variables
  check_healthcheck
}

# Prints the environment that the node gets from entrypoint.sh with the given variables.
node_environment() {
  env -i PATH="$PATH" FJORDMQ_DATADIR="$installation/data" "$@" "$installation/bin/entrypoint.sh" 2>&1 | LC_ALL=C sort
}

# Requires variables of securityConfig: those expected ($1), when the others are set.
expect_security() {
  local expected="$1" found
  shift
  found="$(node_environment "$@" | sed -n 's/^FJORDMQ_SECURITYCONFIG__\(.*\)/\1/Ip' | paste -sd ' ')"
  [ "$found" = "$expected" ] || fail "entrypoint.sh with '$*': securityConfig is '$found', not '$expected'"
}

check_authentication_variables() {
  local prefix=FJORDMQ_SECURITYCONFIG__ database='ALLOWANONYMOUS=false AUTHENTICATION__0__TYPE=database'
  cp "$here/standalone.yml" "$installation/conf/standalone.yml"
  expect_security "$database"
  expect_security "$database MAXLOGINFAILURES=5" "${prefix}MAXLOGINFAILURES=5"
  expect_security "$database AUTHORIZATION__0__TYPE=database" "${prefix}AUTHORIZATION__0__TYPE=database"
  expect_security "$database USECOMMONNAMEASUSERNAME=false" "${prefix}USECOMMONNAMEASUSERNAME=false"
  expect_security 'ALLOWANONYMOUS=false AUTHENTICATION__0__TYPE=redis' "${prefix}AUTHENTICATION__0__TYPE=redis"
  expect_security 'ALLOWANONYMOUS=false PASSWORDFILE=/p' "${prefix}PASSWORDFILE=/p"
  expect_security 'ALLOWANONYMOUS=false passwordFile=/p' "FJORDMQ_securityConfig__passwordFile=/p"
  expect_security 'ALLOWANONYMOUS=false PLUGINDIR=/p' "${prefix}PLUGINDIR=/p"
  expect_security 'ALLOWANONYMOUS=false USECOMMONNAMEASUSERNAME=true' "${prefix}USECOMMONNAMEASUSERNAME=true"
  expect_security 'ALLOWANONYMOUS=true AUTHENTICATION__0__TYPE=database' "${prefix}ALLOWANONYMOUS=true"
  # A line of a value is not a variable.
  expect_security "$database" X=$'1\n'"${prefix}PASSWORDFILE=/p"
}

check_authentication_file() {
  local file="$installation/conf/standalone.yml" database='ALLOWANONYMOUS=false AUTHENTICATION__0__TYPE=database'
  printf 'securityConfig:\n  maxLoginFailures: 5\n' >"$file"
  expect_security "$database"
  cp "$here/../../conf/standalone.yml" "$file" # all defaults, which choose nothing
  expect_security "$database"
  printf 'securityConfig:\n  passwordFile: /p # users\n' >"$file"
  expect_security 'ALLOWANONYMOUS=false'
  printf 'securityConfig:\n  pluginDir: /p\n' >"$file"
  expect_security 'ALLOWANONYMOUS=false'
  printf 'securityConfig:\n  # passwordFile: /p\n  authentication:\n    - type: ldap\n' >"$file"
  expect_security 'ALLOWANONYMOUS=false'
  printf 'securityConfig: {allowAnonymous: true, useCommonNameAsUsername: true}\n' >"$file"
  expect_security ''
  printf 'securityConfig:\n  allowAnonymous: loopback\n' >"$file"
  expect_security 'AUTHENTICATION__0__TYPE=database'
}

check_cluster_variables() {
  local seeds=FJORDMQ_CLUSTERCONFIG__SEEDENDPOINTS=a:8899 output
  cp "$here/standalone.yml" "$installation/conf/standalone.yml"
  ! node_environment | grep -q BOOTSTRAP || fail 'entrypoint.sh changes bootstrap without seeds'
  output="$(node_environment "$seeds")"
  grep -qx FJORDMQ_BOOTSTRAP=false <<<"$output" || fail "entrypoint.sh: a node with seeds creates a cluster: $output"
  grep -q 'set FJORDMQ_EXPECTNODES' <<<"$output" || fail "entrypoint.sh does not say how to create a cluster: $output"
  grep -q 'set FJORDMQ_EXPECTNODES' <<<"$(node_environment "$seeds" FJORDMQ_EXPECTNODES=0)" || fail 'EXPECTNODES=0 counts as set'
  output="$(node_environment FJORDMQ_clusterConfig__seedEndpoints=a:8899 FJORDMQ_expectNodes=3)"
  grep -qx FJORDMQ_BOOTSTRAP=false <<<"$output" || fail "entrypoint.sh ignores names in lower case: $output"
  ! grep -q 'to create a cluster' <<<"$output" || fail "entrypoint.sh explains what is already set: $output"
  output="$(node_environment "$seeds" FJORDMQ_BOOTSTRAP=true)"
  grep -qx FJORDMQ_BOOTSTRAP=true <<<"$output" || fail "entrypoint.sh overrides FJORDMQ_BOOTSTRAP=true: $output"
}

# Requires that healthcheck.sh connects to URL $1 before the node is ready; the rest are variables.
expect_url() {
  local url="$1" output
  shift
  output="$(env -i PATH="$PATH" FJORDMQ_DATADIR="$installation/data" "$@" "$installation/bin/healthcheck.sh")"
  [ "$output" = "cannot connect to $url" ] || fail "healthcheck.sh with '$*': '$output', not $url"
}

check_healthcheck() {
  local file="$installation/conf/standalone.yml"
  cp "$here/standalone.yml" "$file"
  expect_url http://127.0.0.1:2 FJORDMQ_HTTPCONFIG__PORT=2
  expect_url https://127.0.0.1:2 FJORDMQ_HTTPCONFIG__PORT=2 FJORDMQ_HTTPCONFIG__CERTFILE=/c
  printf 'clusterConfig:\n  port: 3\n  certFile: /c\nhttpConfig:\n  # port: 4\n  port: 2 # here\nlogConfig:\n  x: 1\n' >"$file"
  expect_url http://127.0.0.1:2
  expect_url http://127.0.0.1:5 FJORDMQ_HTTPCONFIG__PORT=5
  printf "httpConfig: {host: '', port: 2, certFile: /c}\n" >"$file"
  expect_url https://127.0.0.1:2
  expect_url http://127.0.0.1:2 FJORDMQ_HTTPCONFIG__CERTFILE=
}
