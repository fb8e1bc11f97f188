// Changes of a fix outside its scope, and what people decide about them.
import { z } from 'zod'
import type { DecisionSource, OutsideFile } from '../../people/validate-messages.ts'
import type { ScopeDecisionOrDeadline } from '../../scope/list-approved-files.ts'
import { joinList } from '../../text/join-list.ts'
import { type AtStep, defineEvent, type EventFacts, eventData } from './define-event.ts'
import { joinLimited, limitLists, Texts, Unlisted } from './limit-lists.ts'

export const fixScopeViolation = defineEvent(
  'fix_scope_violation',
  eventData({
    /** Violations that nobody can let through, and the issues that caused them. */
    violations: Texts,
    codes: Texts,
    /** Changes that a person has to let through. */
    outside: z.array(z.object({ path: z.string(), why: z.string(), issue_codes: Texts })).readonly(),
    unlisted: Unlisted,
  }),
  ({ violations, codes, outside, unlisted }) => {
    const files = outside.map(({ path, why, issue_codes }) => `${path} (${why}; ${issue_codes.join(', ')})`)
    return [
      ...(violations.length > 0
        ? [`${joinList(codes)} touched what it may not: ${joinLimited(violations, unlisted?.violations)}`]
        : []),
      ...(files.length > 0 ? [`a person has to let through ${joinLimited(files, unlisted?.outside)}`] : []),
    ].join('; ')
  },
  (create) =>
    ({
      stepId,
      violations,
      codes,
      outside,
    }: AtStep & Pick<EventFacts<typeof create>, 'violations' | 'codes'> & { outside: readonly OutsideFile[] }) => {
      const files = outside.map((file) => ({ path: file.path, why: file.why, issue_codes: file.codes }))
      return create(`${stepId}/scope`, { codes, ...limitLists({ violations, outside: files }) })
    },
)

const ScopeDecided = eventData({
  request: z.string(),
  decision: z.enum(['approve', 'reject', 'deadline']),
  paths: Texts.optional(),
  remember: z.enum(['once', 'session', 'repository']).optional(),
  reason: z.string().optional(),
  approved: Texts,
  refused: Texts,
  /** The issues that changed each refused file. */
  refused_codes: z.array(Texts).readonly(),
  codes: Texts,
  /** The issues that go with what was refused. */
  barred: Texts,
  by: z.string(),
  from: z.string(),
  at: z.string(),
  unlisted: Unlisted,
})
type ScopeDecided = z.infer<typeof ScopeDecided>

export const fixScopeDecided = defineEvent(
  'fix_scope_decided',
  ScopeDecided,
  (data) => [...describeApproval(data), ...describeRefusal(data)].join('; '),
  (create) =>
    ({ stepId, decision, decidedBy, approved, refused, barred }: ScopeDecidedFacts) => {
      const { by, from, at } = decidedBy
      const { paths, remember, reason } = { paths: undefined, remember: undefined, reason: undefined, ...decision }
      return create(`${stepId}/scope-decided`, {
        request: stepId,
        decision: decision.decision,
        remember,
        reason,
        codes: [...new Set([...approved, ...refused].flatMap(({ codes }) => codes))].sort(),
        barred,
        by,
        from,
        at: new Date(at).toISOString(),
        ...limitLists({
          ...(paths ? { paths } : {}),
          approved: approved.map(({ path }) => path),
          refused: refused.map(({ path }) => path),
          refused_codes: refused.map(({ codes }) => codes),
        }),
      })
    },
)

const DURATION_TEXT = { once: 'this once', session: 'for this session', repository: 'for the repository' } as const

function describeApproval({ remember, approved, by, unlisted }: ScopeDecided): string[] {
  if (remember === undefined || approved.length === 0) return []
  return [`${by} let through, ${DURATION_TEXT[remember]}: ${joinLimited(approved, unlisted?.approved)}`]
}

function describeRefusal({ decision, refused, refused_codes, reason, by, unlisted }: ScopeDecided): string[] {
  if (refused.length === 0) return []
  const files = refused.map((path, index) => `${path} (${refused_codes[index]?.join(', ')})`)
  const what = joinLimited(files, unlisted?.refused)
  if (decision === 'deadline') return [`nobody decided in time, so it is taken back: ${what}`]
  return [`${by} did not let through ${what}${reason ? `: "${reason}"` : ''}`]
}

/** The step is the fixer's call that the decision is about. */
export interface ScopeDecidedFacts extends AtStep {
  readonly decision: ScopeDecisionOrDeadline
  readonly decidedBy: DecisionSource
  readonly approved: readonly OutsideFile[]
  readonly refused: readonly OutsideFile[]
  readonly barred: readonly string[]
}
