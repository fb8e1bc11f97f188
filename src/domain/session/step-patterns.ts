// Patterns of the ids of all steps and their parts; step-id.ts formats and parses ids with them.

import { VOTERS, type Voter } from '../vote/ballot.ts'

/** Fields are in braces; a field with `?` is left out if it is 1. */
export const STEPS = {
  name_branch: 'branch',
  baseline: 'base',
  commit_baseline: 'base.{sha}',
  clarify: 'clarify.r{round}',
  plan: 'plan.p{attempt}',
  edit_plan: 'plan.p{attempt}.e{edit}',
  apply_plan: 'plan.p{attempt}.apply{turn?}',
  apply_agreed_plan: 'plan.p{attempt}.agreed',
  /** A plan by the rules and people's answers, which nobody is shown. */
  apply_answers: 'plan.apply',
  fix: 's{stage}.{round_name}.b{batch}.fix',
  verify: 's{stage}.{tree}.verify',
  challenge: 's{stage}.{tree}.challenge',
  verify_fresh: 's{stage}.fresh{turn}',
  verify_old_tests: 's{stage}.oldtests{turn}',
  prove: 's{stage}.prove{turn}.{group}',
  merge: 's{stage}.merge{turn}',
  /** Approved stages that land together, named by the first of them. */
  train: 's{stage}.train{turn}',
  commit: 's{stage}.commit{turn?}',
  review: 'review',
  verify_findings: 'verify.b{batch}',
  pause: 'pause{number}',
  vote: 'vote.{voter}',
} as const

export const PARTS = {
  /** The same work for the issues that have budget left. */
  rest: 'rest',
  /** Another try after a wait for the provider: the second one is `w2`. */
  retry: 'w{n}',
  /** A request for the same reply in readable form. */
  repair: 'repair',
  /** The same prompt in a new conversation. */
  restart: 'fresh',
  commit_message: 'message',
  /** A commit before the last one of a stage. */
  commit_part: 'part{n}',
  provider_wait: 'wait{n}',
  branch_wait: 'wait',
  people_wait: 'asked',
  resumed: 'resumed',
  /** The request about changes outside of the scope. */
  scope: 'scope',
  command: '{n}',
  setup: 'setup{n}',
  setup_retry: 'again{n}',
  /** A setup on the baseline's commit: in a fresh checkout, then in the session's own work tree. */
  setup_without_fix: 'without',
  setup_in_work_tree: 'there',
  /** A run with only the tests of one issue group as they were. */
  tests_of_group: 'tests{n}',
  stdout: 'stdout',
  stderr: 'stderr',
} as const

/** A round. The extra one is for issues that only another issue held back. */
export type RoundName = `i${number}` | 'extra'
/** The origin of a selection that does not follow the rounds: what failed before the commit, or a merge onto a person's commit. */
export interface SelectionOrigin {
  readonly step: 'fresh' | 'oldtests' | 'merge'
  readonly turn: number
}
export type SelectionName = `${'' | `${SelectionOrigin['step']}${number}.`}select${number}`
/** A tree that goes through the gates. */
export type TreeName = RoundName | `merge${number}` | SelectionName

interface NamedFields {
  readonly round_name: RoundName
  readonly tree: TreeName
  readonly sha: string
  readonly voter: Voter
}
export const NAMED_FIELDS: Readonly<Record<string, string>> = {
  round_name: 'i\\d+|extra',
  tree: 'i\\d+|extra|merge\\d+|(?:(?:fresh|oldtests|merge)\\d+\\.)?select\\d+',
  sha: '[0-9a-f]{40,64}',
  voter: VOTERS.join('|'),
} satisfies Record<keyof NamedFields, string>

type FieldName<Pattern> = Pattern extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Optional}?` ? Optional : Name) | FieldName<Rest>
  : never
type Fields<Pattern> = {
  readonly [Name in FieldName<Pattern>]: Name extends keyof NamedFields ? NamedFields[Name] : number
}
type Variants<Table> = { [Kind in keyof Table]: { readonly kind: Kind } & Fields<Table[Kind]> }[keyof Table]
export type Step = Variants<typeof STEPS>
export type StepPart = Variants<typeof PARTS>
export type ParsedStepId = Step & { readonly parts: readonly StepPart[] }
