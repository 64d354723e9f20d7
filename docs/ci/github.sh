#!/usr/bin/env bash
# Compares two builds, $BASE and $NEW, and says so on the pull request: a comment that replaces its former one, the job's
# summary, and an annotation of a failure. Ends as `autoperf gate` does.
set -euo pipefail

reports=$(mktemp --directory)
status=0
# shellcheck disable=SC2086  # The options are several words.
autoperf gate --mxnet "$BASE" --mxnet "$NEW" --counts-first --time-budget "${TIME_BUDGET:-8m}" ${OPTIONS:-} \
    --run-file "$reports/gate-runs.ndjson" --report "$reports/gate.md" --report "$reports/gate.html" --report "$reports/gate.xml" ||
    status=$?
[ -f "$reports/gate.md" ] || exit "$status"

cat "$reports/gate.md" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
answer=$(sed -n 's/^\*\*\(autoperf gate: .*\)\*\*$/\1/p' "$reports/gate.md")
case $status in
    0) ;;
    3) echo "::warning title=autoperf::$answer" ;;
    *) echo "::error title=autoperf::$answer" ;;
esac

if [ -n "${PULL_REQUEST:-}" ] && [ -n "${GH_TOKEN:-}" ]; then
    comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
    former=$(gh api --paginate "$comments" --jq '.[] | select(.body | startswith("<!-- autoperf gate -->")) | .id' | head -n 1)
    if [ -n "$former" ]; then
        gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$former" --field "body=@$reports/gate.md"
    else
        gh api --silent --method POST "$comments" --field "body=@$reports/gate.md"
    fi
fi
exit "$status"
