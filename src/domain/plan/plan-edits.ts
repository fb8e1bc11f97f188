// People's edits of a plan, and remarks. An order is a wish: plan.ts computes the steps, and a remark names what could not be kept.

import type { PlanEdit } from '../people/message-schemas.ts'
import type { PlanReply } from '../stage/reply-schemas.ts'
import { joinList } from '../text/join-list.ts'
import { truncateText } from '../text/truncate.ts'
import type { Stage } from './plan.ts'

interface IssueInFile {
  readonly issue_code: string
  readonly file: string
}

export interface EditedPlan<Issue> {
  /** The remaining issues, in the requested order. */
  readonly issues: readonly Issue[]
  readonly dropped: readonly string[]
  readonly notes: Readonly<Record<string, string>>
}

/** Later edits win. Issues that nobody named follow the others in their old order. */
export function applyPlanEdits<Issue extends IssueInFile>(
  all: readonly Issue[],
  edits: readonly PlanEdit[],
): EditedPlan<Issue> {
  const dropped = new Set(edits.flatMap(({ drop }) => drop))
  let issues = all.filter(({ issue_code }) => !dropped.has(issue_code))
  for (const { order } of edits) {
    const named = [...new Set(order)].flatMap((code) => issues.find(({ issue_code }) => issue_code === code) ?? [])
    issues = [...named, ...issues.filter((issue) => !named.includes(issue))]
  }
  return {
    issues,
    dropped: all.flatMap(({ issue_code }) => (dropped.has(issue_code) ? [issue_code] : [])),
    notes: Object.assign({}, ...edits.map(({ notes }) => notes)),
  }
}

/** The parts of the latest requested order that could not be kept. */
export function listOrderRemarks(edits: readonly PlanEdit[], stages: readonly Stage[]): string[] {
  const order = edits.findLast((edit) => edit.order.length > 0)?.order ?? []
  const turns = stages.flatMap(({ batches }) => batches.flatMap(({ steps }) => steps))
  const findTurn = (code: string): number => turns.findIndex((codes) => codes.includes(code))
  const asked = [...new Set(order)].filter((code) => findTurn(code) >= 0)
  const late = asked.filter((code, index) => asked.slice(index + 1).some((other) => findTurn(other) < findTurn(code)))
  if (late.length === 0) return []
  const why = 'backend comes before frontend, and issues of different files go side by side'
  return [`${formatCodeList(late)} can't come as early as was asked for: ${why}`]
}

/** Remarks on planner's steps that break our rules, and on issues that its reply misses. */
export function listPlannerRemarks(
  { issues, execution_steps: steps }: PlanReply,
  all: readonly IssueInFile[],
): string[] {
  const codes = all.map(({ issue_code }) => issue_code)
  const remarks: string[] = []
  const remark = (found: readonly string[], words: (codes: string) => string): void => {
    if (found.length > 0) remarks.push(words(formatCodeList(found)))
  }
  remark(
    codes.filter((code) => !issues.some(({ issue_code }) => issue_code === code)),
    (missing) => `the planner says nothing about ${missing}: fixed without a plan`,
  )
  for (const [index, step] of (steps ?? []).entries()) {
    const here = all.filter(({ issue_code }) => step.includes(issue_code))
    for (const [file, sharing] of Map.groupBy(here, (issue) => issue.file)) {
      if (sharing.length < 2) continue
      const names = formatCodeList(sharing.map(({ issue_code }) => issue_code))
      remarks.push(
        `the planner put ${names}, all in ${file}, into its step ${index + 1}: they come one after the other`,
      )
    }
  }
  if (!steps) return remarks
  const named = steps.flat()
  remark(
    [...new Set(named)].filter((code) => !codes.includes(code)),
    (unknown) => `the planner's steps name ${unknown}, which is no issue of this plan: left out`,
  )
  remark(
    codes.filter((code) => !named.includes(code)),
    (missing) => `the planner's steps leave out ${missing}: put in`,
  )
  remark(
    codes.filter((code) => named.indexOf(code) !== named.lastIndexOf(code)),
    (twice) => `the planner's steps name ${twice} more than once: done once`,
  )
  return remarks
}

// A plan goes into prompts, files and the session's record, and comes from an agent.
const MOST_OF_A_TEXT = 4000
const MOST_TEXTS = 20
const MOST_STEPS = 500

/** Reduces a planner's reply to these issues, each once, and to what a fixer reads. */
export function truncatePlan({ issues, execution_steps }: PlanReply, codes: readonly string[]): PlanReply {
  const planned = codes.flatMap((code) => issues.findLast(({ issue_code }) => issue_code === code) ?? [])
  return {
    issues: planned.map(({ issue_code, context, approach, steps, verification }) => ({
      issue_code,
      context: {
        snippets: truncateTexts(context.snippets),
        related_files: truncateTexts(context.related_files),
        existing_patterns: truncateTexts(context.existing_patterns),
      },
      approach: truncateText(approach, MOST_OF_A_TEXT),
      steps: truncateTexts(steps),
      verification: truncateTexts(verification),
    })),
    execution_steps: execution_steps?.slice(0, MOST_STEPS).map((step) => step.slice(0, MOST_STEPS)),
  }
}

function truncateTexts(texts: readonly string[]): string[] {
  return texts.slice(0, MOST_TEXTS).map((text) => truncateText(text, MOST_OF_A_TEXT))
}

function formatCodeList(codes: readonly string[]): string {
  return joinList(codes.map((code) => code.slice(0, 80)))
}
