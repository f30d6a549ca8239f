#!/bin/sh
# Places one call for each number on standard input and prints what became of each: number, status, seconds, outcome.
# Stops at the first call whose outcome is unknown: repeating that one could ring the same phone twice.
#
#   printf '+14155550190\n+14155550191\n' | sh samples/call-list.sh
#
# VAGENT names the program (default: vagent on the PATH), AGENT and FROM who calls.
set -u
vagent=${VAGENT:-vagent}
agent=${AGENT:-1}
from=${FROM:-+14155550100}

while read -r number; do
  $vagent call "$number" --agent "$agent" --from "$from" --first-line 'Hello, this is Ava.' --quiet >/dev/null </dev/null
  code=$?
  case $code in
    0) $vagent logs list --limit 1 --fields called_to,call_status,call_duration,call_outcome --quiet </dev/null ;;
    7) echo "$number: the service was not reached, nothing was placed" >&2 ;;
    8) echo "$number: outcome unknown, stopping" >&2; exit 8 ;;
    *) echo "$number: refused (exit code $code)" >&2 ;;
  esac
done
