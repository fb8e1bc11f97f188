// Error codes for programs, which stay when messages are reworded, with the exit status of a command. docs/operating.md prints this
// table.

export interface ErrorKind {
  readonly exit: 1 | 2 | 3 | 130
  readonly meaning: string
}

export const ERROR_CODES = {
  bad_input: { exit: 2, meaning: 'an option or argument is wrong, or several of the things below are at once' },
  findings_invalid: { exit: 2, meaning: 'the findings are missing, or not what findings look like' },
  context_invalid: { exit: 2, meaning: 'the review given along with the findings is missing, too long, or no text' },
  settings_invalid: { exit: 2, meaning: 'a setting is unknown, has a wrong value, or contradicts another' },
  repository_unusable: { exit: 2, meaning: 'the folder is no git repository to work on, or has no such commit' },
  repository_not_found: { exit: 2, meaning: 'no repository is registered with this name, id or folder' },
  repository_in_use: { exit: 2, meaning: 'the name of the repository is taken, or a session works on it' },
  repository_not_trusted: { exit: 2, meaning: 'the repository has a settings file that the operator has not trusted' },
  repository_needs: {
    exit: 2,
    meaning: 'the repository has filters, hooks, signing or sign-off that a session does without',
  },
  repository_read_only: { exit: 2, meaning: 'a commit or a branch could not be written into the repository' },
  branch_unusable: { exit: 2, meaning: 'the branch is taken, missing, checked out, behind, or no name for a branch' },
  uncommitted_changes: { exit: 2, meaning: 'a finding is about a file with changes that are not committed' },
  sandbox_unavailable: { exit: 2, meaning: 'the sandbox that the settings require does not work, or cuts off a model' },
  check_cannot_start: {
    exit: 2,
    meaning: 'a command of the verification can not run on the untouched base, and was not named to be ignored',
  },
  nothing_to_review: { exit: 2, meaning: 'there is no change between the base and the commit to review' },
  pull_from_fork: { exit: 2, meaning: 'the pull request comes from a fork, and --allow-fork was not given' },
  forge_not_configured: { exit: 2, meaning: 'issues are to be created, and no forge is configured' },
  session_not_found: { exit: 2, meaning: 'no session has this id, or several begin with it' },
  session_ended: { exit: 2, meaning: 'the session has ended: nothing can be said to it any more' },
  message_refused: {
    exit: 2,
    meaning: 'the session does not take the message: it names what is not there, or is too much',
  },
  message_invalid: {
    exit: 2,
    meaning: 'the message is none of its kind: a key is missing, unknown or has a wrong value',
  },
  nothing_open: { exit: 2, meaning: 'the session waits for no such decision, or for another one by now' },
  already_decided: { exit: 2, meaning: 'it was decided otherwise before, or its time was over' },
  self_approval: {
    exit: 2,
    meaning: 'four eyes are wanted, and who approves has started the session, or one of the two is not known for sure',
  },
  issue_not_found: { exit: 2, meaning: 'no issue has this code, or several tasks have one' },
  status_not_allowed: { exit: 2, meaning: 'an issue may not go from its status to this one' },
  import_not_found: { exit: 2, meaning: 'no import has this id' },
  import_not_undoable: { exit: 2, meaning: 'the import was undone before, or a later one knows its issues' },
  file_unusable: { exit: 2, meaning: 'a file that was named can not be read or written' },
  not_trustable: { exit: 2, meaning: 'a settings file can not be trusted as it is' },
  not_confirmed: { exit: 2, meaning: 'nobody was there to confirm, and --yes was not given' },
  forbidden_to_agents: { exit: 2, meaning: 'an agent tried what only a person may do' },
  declined: { exit: 1, meaning: 'the person at the terminal said no' },
  interrupted: { exit: 130, meaning: 'the person at the terminal left' },
  home_unusable: { exit: 3, meaning: 'the folder of this installation can not be made, or is not private' },
  instance_unavailable: { exit: 3, meaning: 'the background process of this home did not start, or does not answer' },
  temporal_unreachable: { exit: 3, meaning: 'the Temporal server does not answer' },
  command_missing: { exit: 3, meaning: 'git, or a CLI that the session calls, is not installed' },
  command_too_old: { exit: 3, meaning: 'a CLI that the session calls is too old for how it is called' },
  not_signed_in: { exit: 3, meaning: 'a CLI has neither a key nor a sign-in where the agents are started' },
  git_refuses: { exit: 3, meaning: "git refuses the repository: it is another user's, or its configuration is broken" },
  repository_unreachable: { exit: 3, meaning: 'the remote of a repository does not answer, or refuses' },
  store_unusable: { exit: 3, meaning: 'the store of this home is damaged, or can not be read or written' },
  artifacts_unreachable: {
    exit: 3,
    meaning: 'the bucket of prompts, replies, logs and diffs can not be reached, or refuses',
  },
  disk_full: { exit: 3, meaning: 'there is no space left on the disk' },
  output_unwritable: { exit: 3, meaning: 'standard output can not be written' },
  review_failed: { exit: 3, meaning: 'the review did not happen as it has to, so nothing is known of the change' },
  session_in_the_way: { exit: 3, meaning: 'another session of this work can not be joined, ended or waited for' },
  still_running: { exit: 3, meaning: 'the session was told to end, and has not ended yet' },
  no_verdict: {
    exit: 3,
    meaning: 'a vote is missing or can not be counted, so the change is neither approved nor rejected',
  },
  no_result: { exit: 3, meaning: 'the session ended without a result' },
  forge_not_signed_in: { exit: 3, meaning: 'there is no credential for the forge, or it does not count there' },
  forge_refused: { exit: 3, meaning: 'the forge, or its git, refused what was asked of it' },
  forge_unreachable: { exit: 3, meaning: 'the forge does not answer, or its limits lasted too long' },
  nothing_to_publish: { exit: 2, meaning: 'the session has no branch with commits that could be pushed' },
  remote_unusable: { exit: 2, meaning: 'the repository has no such remote, or its branch there has other commits' },
  token_not_found: { exit: 2, meaning: 'no token of the HTTP service has this id' },
  webhook_not_found: { exit: 2, meaning: 'no webhook has this id' },
  artifact_not_found: { exit: 2, meaning: 'no artifact of the session has this name' },
  token_required: { exit: 2, meaning: 'a request to the HTTP service has no token that counts' },
  signature_invalid: {
    exit: 2,
    meaning: 'what came to the HTTP service as from GitHub is not signed with the webhook secret of this home',
  },
  role_too_low: { exit: 2, meaning: 'the token may not do this' },
  host_not_allowed: { exit: 2, meaning: 'a request names a host that is none of the names of the HTTP service' },
  origin_not_allowed: { exit: 2, meaning: 'a page of another origin called the HTTP service' },
  path_not_found: { exit: 2, meaning: 'the HTTP service has nothing at this path' },
  method_not_allowed: { exit: 2, meaning: 'this path of the HTTP service does not take this method' },
  type_not_json: { exit: 2, meaning: 'the body of a request is not declared as JSON' },
  not_acceptable: { exit: 2, meaning: 'the client takes no form in which the HTTP service can answer' },
  body_too_large: { exit: 2, meaning: 'the body of a request is too large' },
  too_many_requests: { exit: 2, meaning: 'a token or an address sends more requests than it may in a minute' },
  path_not_allowed: { exit: 2, meaning: 'a folder lies below no root that the operator named for the HTTP service' },
  remote_not_allowed: {
    exit: 2,
    meaning: 'repositories are cloned by https or ssh only, and from hosts that the operator named',
  },
  cursor_invalid: { exit: 2, meaning: 'a cursor of a list is not one of ours, or belongs to another filter' },
  address_unusable: { exit: 3, meaning: 'the HTTP service can not listen at its address' },
  if_match_required: { exit: 2, meaning: 'a change over HTTP does not say which state of the thing it is about' },
  idempotency_key_reused: { exit: 2, meaning: 'an Idempotency-Key came with another request before' },
  request_in_flight: { exit: 2, meaning: 'the first request with this Idempotency-Key has no answer yet' },
  repository_changed: { exit: 2, meaning: 'the repository has changed since it was read' },
  issue_changed: { exit: 2, meaning: 'the issue has changed since it was read' },
  unexpected: { exit: 3, meaning: 'Fixwright did not expect this error; --debug shows where it comes from' },
} as const satisfies Readonly<Record<string, ErrorKind>>

export type ErrorCode = keyof typeof ERROR_CODES

/** Why a session does not take a message of people. */
export const MESSAGE_REFUSALS = [
  'message_refused',
  'message_invalid',
  'nothing_open',
  'already_decided',
  'self_approval',
  'session_ended',
] as const satisfies readonly ErrorCode[]
export type MessageRefusalCode = (typeof MESSAGE_REFUSALS)[number]

export interface MessageRefusal {
  readonly kind: 'refused'
  readonly code: MessageRefusalCode
  readonly reason: string
}
