// The names of all steps of a session, and of the parts that have ids of their own; step-id.ts makes ids of them and reads them.

/** Fields stand in braces; one with `?` is left out where it is 1. */
export const STEPS = {
  name_branch: 'branch',
  baseline: 'base',
  commit_baseline: 'base.{sha}',
  clarify: 'clarify.r{round}',
  plan: 'plan.p{attempt}',
  edit_plan: 'plan.p{attempt}.e{edit}',
  apply_plan: 'plan.p{attempt}.apply{turn?}',
  apply_agreed_plan: 'plan.p{attempt}.agreed',
  /** Where no plan is shown to anybody: by the rules, with what people answered. */
  apply_answers: 'plan.apply',
  fix: 's{stage}.{round_name}.b{batch}.fix',
  verify: 's{stage}.{tree}.verify',
  challenge: 's{stage}.{tree}.challenge',
  verify_fresh: 's{stage}.fresh{turn}',
  prove: 's{stage}.prove{turn}.{group}',
  merge: 's{stage}.merge{turn}',
  commit: 's{stage}.commit{turn?}',
} as const

export const PARTS = {
  /** The same work for the issues that have something left to spend. */
  rest: 'rest',
  /** Asked again after a wait for the provider: the second try is `w2`. */
  retry: 'w{n}',
  /** The same answer once more, readable. */
  repair: 'repair',
  /** The same question once more, put afresh. */
  restart: 'fresh',
  commit_message: 'message',
  provider_wait: 'wait{n}',
  branch_wait: 'wait',
  people_wait: 'asked',
  resumed: 'resumed',
  /** What a fix changed outside of its scope. */
  scope: 'scope',
  command: '{n}',
  setup: 'setup{n}',
  setup_retry: 'again{n}',
  /** A setup on what the fix stands on: in a fresh checkout, then in the session's own tree. */
  setup_without_fix: 'without',
  setup_in_work_tree: 'there',
  stdout: 'stdout',
  stderr: 'stderr',
} as const

/** A round of fixing. The extra one is for issues that only another issue held back. */
export type RoundName = `i${number}` | 'extra'
/** Where parts of a tree are taken back otherwise than after the rounds: after a fresh checkout, on top of a person's commit. */
export interface SelectionOrigin {
  readonly step: 'fresh' | 'merge'
  readonly turn: number
}
export type SelectionName = `${'' | `fresh${number}.` | `merge${number}.`}select${number}`
/** What the gates look at. */
export type TreeName = RoundName | `merge${number}` | SelectionName

interface NamedFields {
  readonly round_name: RoundName
  readonly tree: TreeName
  readonly sha: string
}
export const NAMED_FIELDS: Readonly<Record<string, string>> = {
  round_name: 'i\\d+|extra',
  tree: 'i\\d+|extra|merge\\d+|(?:(?:fresh|merge)\\d+\\.)?select\\d+',
  sha: '[0-9a-f]{40,64}',
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
