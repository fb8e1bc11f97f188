// How the operator's commands came out on a tree, as an event holds it and as people read it.

import { z } from 'zod'
import { joinList } from '../../text/join-list.ts'
import { type CommandComparison, describeUnseenTests, RunEffect } from '../../verification/compare-runs.ts'
import type { VerificationRun } from '../../verification/gate-record.ts'
import { describeSummary } from '../../verification/summaries/output-summary.ts'
import { joinLimited, Texts } from './limit-lists.ts'

const TestCounts = z.object({
  fixed: z.number(),
  broken: z.number(),
  broken_before: z.number(),
  gone: z.number(),
  passing: z.number(),
})
const TestNames = z.object({ fixed: Texts, broken: Texts, broken_before: Texts, gone: Texts })

/** One command beside what it said on the tree that the fix stands on. */
export const ComparedRun = z.object({
  command: z.string(),
  outcome: z.string().nullable(),
  effect: RunEffect,
  /** The run counts against the fix. */
  against: z.literal(true).optional(),
  /** So many bytes of its output were not kept. */
  cut: z.number().optional(),
  /** Files of the tree that it changed. */
  rewrote: Texts.optional(),
  /** Its tests, where they could be read both times; of their names the first of each kind. */
  tests: TestCounts.optional(),
  test_names: TestNames.optional(),
  /** So many tests passed before, and can't be read any more. */
  unseen: z.number().optional(),
  /** What its runners summed up, where its tests can't be read, and how that compares with before. */
  summary: z.string().optional(),
})
export type ComparedRun = z.infer<typeof ComparedRun>

const MAX_NAMES = 20

export type GatedComparison = CommandComparison & { readonly countsAgainstFix: boolean }

export function toComparedRun(comparison: GatedComparison, run: VerificationRun | undefined): ComparedRun {
  const { command, after, effect, countsAgainstFix, tests, unseenTests, summaries } = comparison
  const summary = summaries?.why ?? (run?.summary && !tests ? describeSummary(run.summary) : undefined)
  return {
    command,
    outcome: after,
    effect,
    ...(countsAgainstFix && { against: true }),
    ...(run?.omittedBytes && { cut: run.omittedBytes }),
    ...(run?.changedFiles && { rewrote: run.changedFiles }),
    ...(tests && toTestFacts(tests)),
    ...(unseenTests && { unseen: unseenTests }),
    ...(summary && (after !== 'passed' || effect === 'broken') && { summary }),
  }
}

function toTestFacts({
  passing,
  ...lists
}: NonNullable<GatedComparison['tests']>): Pick<ComparedRun, 'tests' | 'test_names'> {
  const { fixed, broken, broken_before, gone } = lists
  const first = (names: readonly string[]) => names.slice(0, MAX_NAMES)
  return {
    tests: {
      fixed: fixed.length,
      broken: broken.length,
      broken_before: broken_before.length,
      gone: gone.length,
      passing,
    },
    test_names: {
      fixed: first(fixed),
      broken: first(broken),
      broken_before: first(broken_before),
      gone: first(gone),
    },
  }
}

/** A summary of the runs in numbers, without the names of tests. */
export function summarizeRuns(runs: readonly ComparedRun[], onBase: boolean): string {
  const against = runs.filter((run) => run.against)
  const red = runs.filter(({ outcome }) => outcome !== 'passed')
  const worthSaying = [against, red, runs].find((some) => some.length > 0) ?? []
  return worthSaying.map((run) => (onBase ? describeBaseRun(run) : describeComparedRun(run))).join('; ')
}

function describeBaseRun({ command, outcome, summary }: ComparedRun): string {
  return [`${command}: ${outcome}`, summary].filter(Boolean).join(', ')
}

function describeComparedRun({ command, outcome, effect, tests, unseen, summary }: ComparedRun): string {
  const text = `${command}: ${outcome}`
  if (unseen) return `${text}, ${describeUnseenTests(unseen)}`
  const gone = tests && effect === 'broken' ? tests.gone : 0
  if (tests && tests.broken > 0) return `${text}, ${tests.broken + gone} test(s) newly broken`
  if (gone > 0) return `${text}, ${gone} test(s) that passed before are not run any more`
  if (effect === 'broken' && summary) return `${text}, ${summary}`
  if (effect === 'no_worse') return `${text}, as before: ${summary ?? 'no test newly broken'}`
  return effect === 'unproven' ? `${text}, and failed before` : text
}

/** That something passed does not mean that all did. */
export function describePassedCount(runs: readonly ComparedRun[]): string {
  const passed = runs.filter(({ outcome }) => outcome === 'passed').length
  if (passed === runs.length) return 'passed'
  return passed === 0 ? 'nothing passed' : `${passed} of ${runs.length} passed`
}

export function describeBrokenTests(runs: readonly ComparedRun[]): string {
  const names = runs.flatMap(({ test_names }) => test_names?.broken ?? [])
  const all = runs.reduce((sum, { tests }) => sum + (tests?.broken ?? 0), 0)
  return all > 0 ? ` · newly broken: ${joinLimited(names, all - names.length)}` : ''
}

export function describeRewrittenFiles(runs: readonly ComparedRun[]): string {
  return runs
    .flatMap(({ command, rewrote }) => (rewrote ? ` · changed by ${command}, and put back: ${joinList(rewrote)}` : ''))
    .join('')
}
