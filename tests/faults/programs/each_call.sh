#!/usr/bin/env bash
# Programs whose calls of the system fail: see drive.c, whose options it takes. Called by `make check-faults`.
set -u
cd "$(dirname "$0")/../../.." || exit 2
export HLO_BUILD=${HLO_BUILD:-$PWD/build} LC_ALL=C
exec "$HLO_BUILD/tools/program-faults" "$@"
