// Has a change reviewed in one call, which asks its experts. An answer counts only if every expert answers the roll, the whole change is
// covered, and nothing that was found is missing; else the question is put once more, and then the review has failed.

import { readSubAgentRuns } from '../../agents/claude/sub-agent-runs.ts'
import { buildExperts, renderLeadPrompt, toExpertAgent } from '../../agents/prompts/review.ts'
import { findJsonObjects } from '../../agents/replies/extract-json.ts'
import { validateReply } from '../../agents/replies/validate-reply.ts'
import { callRoll, type ExpertRun } from '../../domain/review/call-roll.ts'
import { checkCoverage, type ReviewCoverage } from '../../domain/review/check-coverage.ts'
import { ExpertName } from '../../domain/review/experts.ts'
import { ReportedFinding } from '../../domain/review/finding.ts'
import type { ReviewReply } from '../../domain/review/replies.ts'
import { logReviewMalformed } from '../../domain/session/events/logs/review-logs.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import { formatStepPart } from '../../domain/session/step-id.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { resetWorkTree } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { callAgent } from '../agent-call/call-agent.ts'
import { describeTreeChanges } from '../agent-call/describe-tree-changes.ts'
import { loadConventions } from '../agent-call/load-conventions.ts'
import { buildPromptFrame, createBlockId } from '../agent-call/prompt-context.ts'
import { runWithClaude } from '../agent-call/run-with-cli.ts'
import { appendEvents } from '../append-events.ts'
import type { ActivityContext, Heartbeat, Session } from '../context.ts'
import type { EarlierFindings } from './earlier-findings.ts'
import { type LoadedChange, writeChange } from './load-change.ts'

export type ReviewersAnswer =
  | {
      readonly kind: 'answered'
      readonly reply: ReviewReply
      readonly coverage: ReviewCoverage
      /** The experts' own findings, unchanged, by id. */
      readonly expertFindings: ReadonlyMap<string, ReportedFinding>
    }
  | { readonly kind: 'failed'; readonly failure: CallFailure }

interface Question {
  readonly stepId: string
  readonly workspace: Workspace
  readonly change: LoadedChange
  readonly experts: readonly ExpertName[]
  readonly earlier: EarlierFindings
}

export async function askReviewers(
  context: ActivityContext,
  session: Session,
  question: Question,
  heartbeat: Heartbeat,
): Promise<ReviewersAnswer> {
  const { stepId, workspace, change, experts, earlier } = question
  const material = {
    blockId: createBlockId(),
    change: await writeChange(context, session, workspace, change),
    dismissed: earlier.dismissed,
    notes: session.record.user_notes,
    conventions: await loadReviewConventions(session, workspace, change),
    limits: buildPromptFrame(session).limits,
  }
  let problem: string | undefined
  for (const [index, key] of [stepId, formatStepPart(stepId, { kind: 'restart' })].entries()) {
    const answer = await callAgent(
      context,
      session,
      {
        key,
        role: 'review_lead',
        prompt: renderLeadPrompt(context.agents, {
          ...material,
          ...{ stepId: key, iteration: index + 1, experts, problem },
          earlier: earlier.standing,
        }),
        codes: [],
        about: `what is wrong with the change, by ${experts.join(', ')}`,
        deadlineMs: session.settings.claude.timeout_seconds * 1000,
        beforeCall: () => resetWorkTree(workspace, workspace.base),
        run: runWithClaude(context, session, {
          subagents: buildExperts(context.agents, experts, material),
          readableFolders: [material.change.diffs],
          checkout: workspace,
        }),
      },
      heartbeat,
    )
    const changed = await describeTreeChanges(context, workspace)
    if (changed !== undefined) return fail(`the reviewers changed what they were to read: ${changed}`)
    if (answer.kind === 'failed') {
      if (answer.failure.class !== 'no_usable_work') return answer
      problem = answer.failure.detail
    } else {
      const parsed = validateReply('review', answer)
      if (parsed.kind === 'valid') {
        const checked = checkAnswer(parsed.value, await loadExpertRuns(context, session, key), question)
        if (checked.kind === 'answered') return checked
        problem = checked.problem
      } else problem = `the reply of the review's lead can't be used: ${parsed.problem}`
    }
    await appendEvents(context, session.id, [logReviewMalformed({ call: key, problem })])
  }
  return fail(`${problem}; it was asked twice`)
}

type CheckedAnswer =
  | Extract<ReviewersAnswer, { kind: 'answered' }>
  | { readonly kind: 'malformed'; readonly problem: string }

function checkAnswer(reply: ReviewReply, runs: readonly ReportingExpert[], question: Question): CheckedAnswer {
  const { experts, change, earlier } = question
  const absent = callRoll(experts, runs, reply)
  if (absent.length > 0) return { kind: 'malformed', problem: absent.join('; ') }
  const covered = checkCoverage(reply, change)
  if (covered.kind === 'malformed') return covered
  const open = earlier.standing.filter(({ id }) => !reply.earlier.some((each) => each.id === id))
  if (open.length > 0)
    return {
      kind: 'malformed',
      problem: `it says nothing about the earlier findings ${open.map(({ id }) => id).join(', ')}`,
    }
  const expertFindings = new Map(runs.flatMap(({ findings }) => findings.map((each) => [each.id, each])))
  return { kind: 'answered', reply, coverage: covered.coverage, expertFindings }
}

interface ReportingExpert extends ExpertRun {
  readonly findings: readonly ReportedFinding[]
}

async function loadExpertRuns(context: ActivityContext, session: Session, key: string): Promise<ReportingExpert[]> {
  const call = await context.store.agentCalls.findLatest(session.id, key)
  if (call?.transcript_ref === undefined) return []
  const names = new Map(ExpertName.options.map((name) => [toExpertAgent(name), name]))
  return readSubAgentRuns(await context.artifacts.getText(call.transcript_ref)).flatMap((run) => {
    const name = names.get(run.type)
    if (name === undefined) return []
    const listed = readReportedList(run.report)
    const found = listed?.flatMap((each) => (typeof each?.id === 'string' ? [each.id] : []))
    const findings = (listed ?? []).flatMap((each) => ReportedFinding.safeParse(each).data ?? [])
    return [{ name, ended: run.ended, failed: run.failed, found, findings }]
  })
}

/** Lenient in all but what the roll needs: that there is a list of findings. */
function readReportedList(report: string): readonly ({ readonly id?: unknown } | null)[] | undefined {
  const { objects } = findJsonObjects(report, new Set(['findings']))
  const last = objects.at(-1) as { readonly findings?: unknown } | undefined
  return Array.isArray(last?.findings) ? last.findings : undefined
}

/** From the commit that the change is compared with: the change itself must not instruct its reviewers. */
async function loadReviewConventions(session: Session, { gitDir }: Workspace, { base, changes }: LoadedChange) {
  return await loadConventions(
    { gitDir, base },
    { names: session.settings.conventions, files: changes.map(({ path }) => path) },
  )
}

function fail(detail: string): ReviewersAnswer {
  return { kind: 'failed', failure: { class: 'no_usable_work', reason: 'unreadable', detail } }
}
