#!/usr/bin/env bash
# Compares two builds, $BASE and $NEW, and writes the reports that GitLab reads. Ends as `autoperf gate` does.
set -euo pipefail

status=0
# shellcheck disable=SC2086  # The options are several words.
autoperf gate --mxnet "$BASE" --mxnet "$NEW" --counts-first --time-budget "${TIME_BUDGET:-8m}" ${OPTIONS:-} \
    --report gate.md --report gate.html --report gate.xml --report gate.json || status=$?
[ -f gate.json ] || exit "$status"

jq '
  def entry(words; key; severity):
    {description: words, check_name: "autoperf", fingerprint: (key | @base64), severity: severity,
     location: {path: "autoperf.toml", lines: {begin: 1}}};
  [(.different[] | select(.allowed == null) |
      entry("\(.operator) (\(.inputs)) computes something else"; "\(.case) results"; "blocker")),
   (.cases[] | select(.verdict == "slower") |
      entry("\(.operator) \(.pass) (\(.inputs)): \(.clock) is \(.ratio * 1000 | round / 1000) times that of base";
            "\(.case) \(.pass) \(.clock)"; "major"))]
' gate.json >gate-quality.json
jq --raw-output '
  .cases[] | "autoperf_ratio{case=\"\(.case)\",pass=\"\(.pass)\",clock=\"\(.clock)\"} \(.ratio)"
' gate.json >gate-metrics.txt
exit "$status"
