#!/bin/sh
# The main job on the simulator: a CSV of contacts becomes a campaign, the campaign plays to its end, and the call logs
# become a CSV. No real call is placed. Everything it writes is in demo/.
set -eu
cd "$(dirname "$0")/.."
mkdir -p demo
export VAGENT_STORE=demo/store VAGENT_LOCAL=1 VAGENT_CONFIG_DIR=demo/config

vagent() {
  printf '\n$ vagent'
  for word in "$@"; do
    case $word in *\ *) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '\n'
  node bin/vagent.js "$@"
}

vagent local reset --yes
vagent campaign create --name "Winter check-ups" --agent 1 --from +14155550100 --contacts samples/contacts.csv \
  --calls-per-hour 120 --retry-attempts 2 --retry-delay 15m
vagent local advance --until-idle
vagent local status --output table
vagent logs export --out demo/calls.csv

printf '\nCalls by status:\n'
node bin/vagent.js logs list --all --fields call_status | sort | uniq -c
vagent logs list --limit 5 --output table --fields called_to,call_status,call_duration,call_outcome
