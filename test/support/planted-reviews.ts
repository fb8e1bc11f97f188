// Reviews of a change with planted issues: what became of each, and what comes back over further pushes.
import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { ReviewRecord } from '../../src/domain/review/review-record.ts'
import { PLANTED_REVIEW, writePlanted } from './planted.ts'
import { readRecord } from './review.ts'
import { type E2eStage, gitAt, setStage } from './session.ts'

const AUTHOR = ['-c', 'user.name=Kim', '-c', 'user.email=kim@example.com']

export async function setPlantedStage(t: TestContext): Promise<E2eStage> {
  return await setStage(t, {
    attempts: 0,
    scenario: { review: PLANTED_REVIEW },
    repository: (folder) => {
      mkdirSync(folder)
      gitAt(folder, ['init', '-q', '-b', 'main', '.'])
      // What git makes of line ends is not under test.
      gitAt(folder, ['config', 'core.autocrlf', 'false'])
      writePlanted(folder, 'before')
      commit(folder, 'Before')
      gitAt(folder, ['switch', '-q', '-c', 'feature'])
      writePlanted(folder, 'after')
      commit(folder, 'After')
    },
  })
}

function commit(folder: string, message: string): void {
  gitAt(folder, ['add', '-A'])
  gitAt(folder, [...AUTHOR, 'commit', '-q', '--allow-empty', '-m', message])
}

export async function reviewPlanted(stage: E2eStage): Promise<ReviewRecord> {
  const known = new Set((await stage.sessions()).map(({ session_id }) => session_id))
  const run = await stage.command('review', '--repo', stage.repository, '--experts', 'language,be-quality').ended
  assert.equal(run.status, 1, run.stderr + run.stdout)
  const session = (await stage.sessions()).find(({ session_id }) => !known.has(session_id))
  assert.ok(session)
  return await readRecord(stage, session)
}

/** Findings that say the same as another one, and were not merged, by what the plan calls them. */
export function listDuplicates({ findings }: ReviewRecord): string[] {
  const titles = findings.flatMap(({ title, verdict }) => (verdict.state === 'merged' ? [] : [title]))
  return titles.filter((title, index) => titles.indexOf(title) !== index)
}

export interface Pushed {
  readonly dismissed: number
  /** Dismissed findings that came back as confirmed or unverified. */
  readonly raised: readonly string[]
  readonly duplicates: readonly string[]
}

/** Each push changes something else. The reviewers say again all that was refuted, half of it in other words. */
export async function reviewPushes(stage: E2eStage, first: ReviewRecord, pushes: number): Promise<Pushed> {
  const refuted = first.findings.filter(({ verdict }) => verdict.state === 'refuted')
  const again = refuted.map(({ file, side, quote, title, failure, anchor, category }, index) => ({
    ...{ id: `again-${index}`, file, side, quote, category },
    line: anchor.kind === 'unanchored' ? null : `${anchor.line}`,
    ...(index % 2 === 0
      ? { issue: title, failure }
      : { issue: `in other words ${index}`, failure: 'It is still wrong.' }),
  }))
  const raised: string[] = []
  const duplicates: string[] = []
  let last = first
  for (let push = 1; push <= pushes; push += 1) {
    appendFileSync(join(stage.repository, 'notes.txt'), `push ${push}\n`)
    commit(stage.repository, `Push ${push}`)
    await stage.lookAgain()
    const standing = last.findings.filter(({ verdict }) => ['confirmed', 'unverified'].includes(verdict.state))
    const state = { state: 'still_there', reason: 'nothing has changed there' }
    stage.model.setScenario({
      review: {
        experts: { language: { findings: again } },
        earlier: Object.fromEntries(standing.map(({ id }) => [`${last.session_id}:${id}`, state])),
      },
    })
    last = await reviewPlanted(stage)
    raised.push(
      ...last.findings.flatMap(({ alias, verdict }) =>
        alias.includes('again-') && verdict.state !== 'refuted' && verdict.state !== 'merged'
          ? [`${push}: ${alias}`]
          : [],
      ),
    )
    duplicates.push(...listDuplicates(last).map((title) => `${push}: ${title}`))
  }
  return { dismissed: again.length, raised, duplicates }
}
