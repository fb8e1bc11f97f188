// What a fix changed outside of its scope, for a person to look at, and what their word comes to. Both may run twice: the same
// word again bars the same issues, and what was allowed is on record once.

import type { OutsideFile } from '../../domain/people/validate-messages.ts'
import type { ScopeAsk, ScopeAskInput, SettleScopeInput } from '../../domain/protocol/index.ts'
import { approvedOf, barredOf, grantsOf, type ScopeAnswer } from '../../domain/scope/scope-decision.ts'
import type { NewEvent } from '../../domain/session/events.ts'
import { listed } from '../../domain/text/join-list.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import { tell } from '../append-events.ts'
import { loadSession, type Workshop, workspaceOf } from '../context.ts'
import { askedAbout, readNoted } from '../fix/snapshot-metadata.ts'
import { keep } from '../store-artifact.ts'
import { keepApproval } from './approved-paths.ts'

/** What Temporal's history holds of it: so many files, and no more than so many characters of their names. */
const MOST_FILES = 100
const MOST_CHARACTERS = 50_000
/** Of paths to one run of git, whose arguments are bounded, too. */
const AT_ONCE = 200

export async function askScope(shop: Workshop, { sessionId, call }: ScopeAskInput): Promise<ScopeAsk> {
  const workspace = workspaceOf(shop, sessionId)
  const { parent, commit, note } = await readNoted(workspace, call)
  const files = askedAbout(note)
  const paths = files.map(({ path }) => path)
  const diffs: string[] = []
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    diffs.push(await diffText(workspace, parent, commit, paths.slice(from, from + AT_ONCE)))
  }
  await keep(shop, sessionId, 'diff', `${call}.scope`, diffs.join(''))
  const shown = shownOf(files)
  return { files: shown, more: files.length - shown.length }
}

function shownOf(files: readonly OutsideFile[]): OutsideFile[] {
  let characters = 0
  const shown = files.slice(0, MOST_FILES).filter((file) => {
    characters += JSON.stringify(file).length
    return characters <= MOST_CHARACTERS
  })
  return shown.length > 0 ? shown : files.slice(0, 1)
}

export async function settleScope(
  shop: Workshop,
  { sessionId, call, decision, decided }: SettleScopeInput,
): Promise<{ readonly barred: readonly string[] }> {
  const session = await loadSession(shop, sessionId)
  const workspace = workspaceOf(shop, sessionId)
  const snapshot = await readNoted(workspace, call)
  const files = askedAbout(snapshot.note)
  const approved = approvedOf(files, decision)
  const barred = barredOf(files, approved)
  for (const path of grantsOf(files, decision)) {
    await shop.store.grants.add({
      repository: session.record.repository,
      session_id: decision.decision === 'approve' && decision.remember === 'session' ? sessionId : undefined,
      path,
      granted_by: decided.by,
      granted_at: new Date(decided.at).toISOString(),
    })
  }
  await keepApproval(workspace, call, snapshot, { paths: approved.map(({ path }) => path), at: decided.at })
  await tell(shop, sessionId, [decidedEvent({ call, decision, decided }, { files, approved, barred })])
  return { barred }
}

interface Outcome {
  readonly files: readonly OutsideFile[]
  readonly approved: readonly OutsideFile[]
  readonly barred: readonly string[]
}

function decidedEvent(
  { call, decision, decided }: Omit<SettleScopeInput, 'sessionId'>,
  { files, approved, barred }: Outcome,
): NewEvent {
  const refused = files.filter((file) => !approved.includes(file))
  const { by, from, at } = decided
  const { paths, remember, reason } = { paths: undefined, remember: undefined, reason: undefined, ...decision }
  return {
    key: `${call}/scope-decided`,
    type: 'fix_scope_decided',
    message: [...wordsFor(decision, by, approved), ...refusal(decision, by, refused)].join('; '),
    data: {
      request: call,
      decision: decision.decision,
      ...(paths ? { paths: paths.slice(0, MOST_FILES) } : {}),
      ...(remember ? { remember } : {}),
      ...(reason ? { reason } : {}),
      approved: pathsOf(approved),
      refused: pathsOf(refused),
      codes: [...new Set(files.flatMap(({ codes }) => codes))].sort(),
      barred,
      by,
      from,
      at: new Date(at).toISOString(),
    },
  }
}

const HOLDS = { once: 'this once', session: 'for this session', repository: 'for the repository' } as const

function wordsFor(decision: ScopeAnswer, by: string, approved: readonly OutsideFile[]): string[] {
  if (decision.decision !== 'approve' || approved.length === 0) return []
  return [`${by} let through, ${HOLDS[decision.remember]}: ${listed(approved.map(({ path }) => path))}`]
}

function refusal(decision: ScopeAnswer, by: string, refused: readonly OutsideFile[]): string[] {
  if (refused.length === 0) return []
  const what = listed(refused.map(({ path, codes }) => `${path} (${codes.join(', ')})`))
  if (decision.decision === 'deadline') return [`nobody decided in time, so it is taken back: ${what}`]
  const why = decision.decision === 'reject' && decision.reason ? `: "${decision.reason}"` : ''
  return [`${by} did not let through ${what}${why}`]
}

function pathsOf(files: readonly OutsideFile[]): string[] {
  return files.slice(0, MOST_FILES).map(({ path }) => path)
}
