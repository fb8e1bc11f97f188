// An order starts a session through a connection to Temporal alone, without home or terminal. It comes from outside, so every member is
// checked and unknown ones are refused. The workflow type says which kind it is of; the members mean the same as the options of its command.
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { ExpertName } from '../review/experts.ts'
import { truncateText } from '../text/truncate.ts'
import type { SessionKind } from './session-kind.ts'

const Text = z.string().trim().min(1)

const common = {
  /** The folder of a git repository on the worker's machine. */
  repository: Text.refine(isAbsolute, 'must be an absolute path on the machine of the worker'),
  base: Text.optional(),
  /** Settings by path, as far as an order may set them: `{ 'people.clarify': true }`. */
  settings: z.record(z.string(), z.unknown()).optional(),
}

const OrderSchema = z
  .strictObject({
    ...common,
    /** As in a findings file: a list, `{ issues: […] }` or `{ groups: [{ findings: […] }] }`. */
    findings: z.union([z.array(z.unknown()), z.looseObject({})], { error: 'must be findings as JSON' }).optional(),
    /** Issues of one task in the worker's store, instead of findings. */
    issueIds: z.array(Text).min(1).optional(),
    /** Codes of the findings to fix; by default all. */
    only: z.array(Text).min(1).optional(),
    /** Within one task, findings that come again are the same issues. By default the task is derived from their texts. */
    task: Text.optional(),
    /** The branch or commit that the review compared the base with. */
    against: Text.optional(),
    /** The branch that gets the commits; by default a name is made from the titles. */
    branch: Text.optional(),
    useExistingBranch: z.boolean().optional(),
    allowDirty: z.boolean().optional(),
    /** Cancels the session that is at this work, and reuses no recent result. */
    force: z.boolean().optional(),
    notes: Text.optional(),
    /** The report of the review, as Markdown. */
    review: Text.optional(),
  })
  .refine(({ findings, issueIds }) => (findings === undefined) !== (issueIds === undefined), {
    error: 'must have findings or issueIds, one of the two',
    path: ['findings'],
  })
  .refine(({ issueIds, only, task }) => issueIds === undefined || (only ?? task) === undefined, {
    error: 'say by themselves which issues of which task are meant: leave out only and task',
    path: ['issueIds'],
  })
export type Order = z.infer<typeof OrderSchema>

const ReviewOrderSchema = z.strictObject({
  ...common,
  /** The branch or commit to review; by default what is checked out. */
  head: Text.optional(),
  /** A folder or file of that commit with the specification. */
  spec: Text.optional(),
  experts: z.array(ExpertName).min(1).optional(),
  notes: Text.optional(),
  /** Makes confirmed findings issues. */
  import: z.boolean().optional(),
})
export type ReviewOrder = z.infer<typeof ReviewOrderSchema>

const VotesOrderSchema = z.strictObject({
  ...common,
  /** The branch or commit to vote on; by default what is checked out. */
  head: Text.optional(),
})
export type VotesOrder = z.infer<typeof VotesOrderSchema>

const SCHEMAS = {
  fix: OrderSchema,
  review: ReviewOrderSchema,
  'review-fix': ReviewOrderSchema,
  votes: VotesOrderSchema,
} as const satisfies Readonly<Record<SessionKind, z.ZodType>>

/** An order with the kind of session that it is for. */
export type SessionOrder = {
  readonly [Kind in SessionKind]: { readonly kind: Kind; readonly order: z.infer<(typeof SCHEMAS)[Kind]> }
}[SessionKind]

export type ParsedOrder =
  | { readonly kind: 'read'; readonly ordered: SessionOrder }
  | { readonly kind: 'refused'; readonly problems: readonly string[] }

export function parseOrder(input: unknown, kind: SessionKind = 'fix'): ParsedOrder {
  const parsed = SCHEMAS[kind].safeParse(input)
  if (parsed.success) return { kind: 'read', ordered: { kind, order: parsed.data } as SessionOrder }
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'the order'}: ${truncateText(message, 300)}`,
  )
  return { kind: 'refused', problems: [...new Set(problems)] }
}

/** What an order says where `fix` has a flag. The operator's own settings are not an order's to change. */
const ORDER_WORDS: Readonly<Record<string, string>> = {
  '--repo': 'repository',
  '--base': 'base',
  '--head': 'head',
  '--spec': 'spec',
  '--against': 'against',
  '--branch': 'branch',
  '--use-existing-branch': 'useExistingBranch',
  '--allow-dirty': 'allowDirty',
  '--only': 'only',
  '--task': 'task',
  '--context': 'review',
  '--verify': "the worker's setting verification.commands",
  '--ignore-untrusted': "the worker's setting repository.untrusted: ignore",
}

/** Rewords a problem that the checks of `fix` found. A command line that it quotes stays as it is. */
export function toOrderWords(problem: string): string {
  return problem.replace(/(\b(?:give|or) |\()(--[a-z-]+)/g, (all, before: string, flag: string) => {
    const word = ORDER_WORDS[flag]
    return word === undefined ? all : `${before}${word}`
  })
}
