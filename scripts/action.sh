#!/usr/bin/env bash
# What the steps of action.yml run. `read` votes and writes the votes and the step summary; `post` posts votes that another job has left. Inputs
# come by the environment alone, so that no text of a pull request is ever part of a script.
set -uo pipefail
root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd -P)
export PATH="$root/node_modules/.bin:$PATH"

pull=${REVIEW_ACTION_PULL:?}
votes=${REVIEW_ACTION_VOTES:?}
host=${GITHUB_SERVER_URL:-https://github.com}
host=${host#*://}
case $host in
  github.com | *.ghe.com) GH_TOKEN=${REVIEW_ACTION_TOKEN:-} ;;
  *) GH_ENTERPRISE_TOKEN=${REVIEW_ACTION_TOKEN:-} ;;
esac
unset REVIEW_ACTION_TOKEN
# Fixwright alone gets the credentials of the job.
credentials=(GH_TOKEN GH_ENTERPRISE_TOKEN FIXWRIGHT_MARKER_SECRET ANTHROPIC_API_KEY GEMINI_API_KEY)
export -n "${credentials[@]}"

fixwright() (
  export "${credentials[@]}"
  exec "$root/bin/fixwright" "$@"
)

field() {
  node -e 'const { readFileSync } = require("node:fs")
    try { console.log(JSON.parse(readFileSync(process.argv[1], "utf8"))[process.argv[2]] ?? "") } catch { console.log("") }' "$votes" "$1"
}

case ${REVIEW_ACTION_MODE:-} in
  read)
    fixwright review-pr --repo "${REVIEW_ACTION_FOLDER:-.}" --pr "$pull" --format json --set "github.host=$host" >"$votes"
    status=$?
    session=$(field session_id)
    if [ -n "$session" ]; then
      fixwright report "$session" --format md >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
    else
      echo "No verdict: the votes did not begin, or did not end. The log of this step says why." >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
      rm -f "$votes"
    fi
    ;;
  post)
    approve=()
    if [ "${REVIEW_ACTION_APPROVE:-false}" = true ]; then approve=(--approve); fi
    fixwright review-pr --pr "$pull" --post --votes "$votes" --set "github.host=$host" "${approve[@]}"
    status=$?
    if [ "$status" -gt 1 ] && [ "$(field verdict)" != no_verdict ]; then
      echo "The votes are not posted, or not all of them. The log of this step says why." >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
    fi
    ;;
  *)
    echo "fixwright: mode has to be read or post" >&2
    exit 2
    ;;
esac

verdict=$(field verdict)
echo "verdict=$verdict" >>"${GITHUB_OUTPUT:-/dev/null}"
# A job that could not vote is as red as one that voted no.
exit "$status"
