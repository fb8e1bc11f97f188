// An order starts `fixSession` through a connection to Temporal alone, without home or terminal. It comes from outside, so every member
// is checked and unknown ones are refused. The members mean the same as the options of `fix`.
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { truncateText } from '../text/truncate.ts'

const Text = z.string().trim().min(1)

const OrderSchema = z
  .strictObject({
    /** The folder of a git repository on the worker's machine. */
    repository: Text.refine(isAbsolute, 'must be an absolute path on the machine of the worker'),
    /** As in a findings file: a list, `{ issues: […] }` or `{ groups: [{ findings: […] }] }`. */
    findings: z.union([z.array(z.unknown()), z.looseObject({})], { error: 'must be findings as JSON' }).optional(),
    /** Issues of one task in the worker's store, instead of findings. */
    issueIds: z.array(Text).min(1).optional(),
    /** Codes of the findings to fix; by default all. */
    only: z.array(Text).min(1).optional(),
    /** Within one task, findings that come again are the same issues. By default the task is derived from their texts. */
    task: Text.optional(),
    base: Text.optional(),
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
    /** Settings by path, as far as an order may set them: `{ 'people.clarify': true }`. */
    settings: z.record(z.string(), z.unknown()).optional(),
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

export type ParsedOrder =
  | { readonly kind: 'read'; readonly order: Order }
  | { readonly kind: 'refused'; readonly problems: readonly string[] }

export function parseOrder(input: unknown): ParsedOrder {
  const parsed = OrderSchema.safeParse(input)
  if (parsed.success) return { kind: 'read', order: parsed.data }
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
