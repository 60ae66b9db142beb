#!/usr/bin/env bash
# Sends valid and invalid requests for each operation of the OpenAPI description, and checks the responses against it.
# All checks apply but those that schemathesis.toml excludes; --checks all would override that file.
# One worker: with Python 3.11, threads that parse source code at the same time can fail.
set -uo pipefail

if [ -z "${API_URL:-}" ]; then
  echo "skipped: openapi: API_URL and API_TOKEN are not set"
  exit 0
fi
if venv/bin/schemathesis run "$API_URL/api/v5/openapi.json" --header "Authorization: Bearer $API_TOKEN" \
  --continue-on-failure --max-examples "${EXAMPLES:-25}" --workers 1 --no-color >schemathesis.log 2>&1; then
  echo "ok: openapi: $(sed -n 's/^ *\([0-9]* generated.*\)/\1/p' schemathesis.log)"
else
  cat schemathesis.log
  echo "FAILED: openapi: the API does not behave as described"
  exit 1
fi
