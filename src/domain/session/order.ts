// An order: what anybody with a connection to Temporal starts `fixSession` with, without a home or a terminal. It comes from outside,
// so every member is looked at, and one that nobody knows is refused. What the members mean is what `fix` means by its options.
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { truncateText } from '../text/truncate.ts'

const Text = z.string().trim().min(1)

const OrderSchema = z
  .strictObject({
    /** The folder of a git repository on the worker's machine. */
    repository: Text.refine(isAbsolute, 'must be an absolute path on the machine of the worker'),
    /** As in a file of findings: a list, `{ issues: […] }` or `{ groups: [{ findings: […] }] }`. */
    findings: z.union([z.array(z.unknown()), z.looseObject({})], { error: 'must be findings as JSON' }).optional(),
    /** Instead of findings: issues of one task that the worker's store knows. */
    issueIds: z.array(Text).min(1).optional(),
    /** Only these of the findings, by their codes. */
    only: z.array(Text).min(1).optional(),
    /** Findings of one task are the same issues each time they come; by default it is made from what they say. */
    task: Text.optional(),
    base: Text.optional(),
    /** The branch that gets the commits; without it the titles make one up. */
    branch: Text.optional(),
    useExistingBranch: z.boolean().optional(),
    allowDirty: z.boolean().optional(),
    notes: Text.optional(),
    /** The report of the review, as Markdown. */
    review: Text.optional(),
    /** Settings by their paths, as far as an order may set them: `{ 'people.clarify': true }`. */
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
