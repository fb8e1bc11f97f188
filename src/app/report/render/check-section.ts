// Builds the session's checks: each run of the operator's commands that an issue was judged by, once, with all that it said.
import { joinList } from '../../../domain/text/join-list.ts'
import type { CommandComparison } from '../../../domain/verification/compare-runs.ts'
import type { OwnTests } from '../own-checks.ts'
import type { IssueReport, IssueVerification } from '../report-model.ts'
import { type Block, type InlineLine, linkIssues, type RenderLimits } from './blocks.ts'
import { buildOutputBlocks, describeEffect, type ShownTexts } from './collapsible.ts'

export function buildCheckSection(issues: readonly IssueReport[], room: RenderLimits): Block[] {
  const runs = Map.groupBy(
    issues.filter(({ verification }) => verification !== null),
    ({ verification }) => verification?.step_id,
  )
  if (runs.size === 0) return []
  const shown: ShownTexts = new Map()
  const blocks = [...runs.values()].slice(0, room.evidence).flatMap((own) => {
    const verification = own[0]?.verification
    return verification ? buildRun(verification, own, room, shown) : []
  })
  return [{ kind: 'heading', level: 2, text: ['Checks'] }, ...blocks]
}

function buildRun(
  { verdict, tree, step_id, commands }: IssueVerification,
  own: readonly IssueReport[],
  room: RenderLimits,
  shown: ShownTexts,
): Block[] {
  const about = linkIssues(own.map(({ issue_code }) => issue_code))
  return [
    { kind: 'paragraph', text: [{ strong: verdict }, ` on the tree ${tree.slice(0, 10)}, with `, ...about, ':'] },
    {
      kind: 'list',
      items: commands.flatMap((run) => [formatRunLine(run), ...buildTestLines(run), ...buildRewriteLine(run)]),
    },
    ...commands.flatMap((run) => buildOutputBlocks(run, room, { place: step_id, shown })),
  ]
}

export function formatRunLine(comparison: CommandComparison): InlineLine {
  const { command, before, after } = comparison
  const runs = `before: ${before ?? 'not run'}, after: ${after ?? 'not run'}`
  return [{ strong: 'check' }, ' ', { code: command }, ` ${describeEffect(comparison)} (${runs})`]
}

function buildTestLines({ tests, unseenTests, summaries }: CommandComparison): InlineLine[] {
  if (unseenTests)
    return [[{ strong: 'tests no longer seen' }, ` ${unseenTests} that passed before: the results can't be read`]]
  if (!tests) return summaries ? [[{ strong: 'by its summary' }, ` ${summaries.why}`]] : []
  return buildTestLists(tests)
}

export function buildTestLists({ broken, gone, fixed, broken_before }: OwnTests): InlineLine[] {
  const lists = {
    'tests broken by us': broken,
    'tests no longer run': gone,
    'tests fixed by us': fixed,
    'tests broken before': broken_before,
  }
  return Object.entries(lists).flatMap(([what, names]) =>
    names.length > 0 ? [[{ strong: what }, ` ${joinList(names)}`]] : [],
  )
}

function buildRewriteLine({ changedFiles }: CommandComparison): InlineLine[] {
  return changedFiles
    ? [
        [
          { strong: 'what it said is about files that it changed, and that were put back' },
          ` ${joinList(changedFiles)}`,
        ],
      ]
    : []
}
