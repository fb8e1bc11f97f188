// Runs the setup and the commands of the operator's on one tree: in the session's own work tree, where what was made before stays, or
// in a checkout that holds nothing but the tree. Nothing is judged here but how each of them ended.
import { ApplicationFailure } from '@temporalio/common'
import { IN_PASSING } from '../domain/events.ts'
import type { VerificationRun } from '../domain/evidence.ts'
import type { JudgeInput } from '../domain/protocol.ts'
import { inCheckout } from '../git/checkout.ts'
import { namesIn, removeAll } from '../git/files.ts'
import { ignoredIn, ignorePaths, resetTo, untrackedIn } from '../git/tree.ts'
import type { Workspace } from '../git/workspace.ts'
import { type BaseResults, rememberBase } from './base-results.ts'
import type { Beat } from './beating.ts'
import { againstBase, BASE } from './feedback.ts'
import { runCommand } from './running-commands.ts'
import { memoryOf, type Place, setUp, whyNotSetUp } from './setting-up.ts'
import { listed, type Session, tell, type Workshop } from './workshop.ts'

export interface Checked {
  readonly input: JudgeInput
  readonly tree: string
  /** Of the untouched base, from another session: then only the setup is run. */
  readonly known?: BaseResults | undefined
}

export interface ChecksRun extends Pick<BaseResults, 'leftNothing'> {
  readonly verification: readonly VerificationRun[]
}

export async function runChecks(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { input, tree, known }: Checked,
  beat: Beat,
): Promise<ChecksRun> {
  const { call, head } = input
  const { signal } = beat
  const on = (ground: Ground) => runOn(shop, session, workspace, { input, known, ...ground }, beat)
  if (input.fresh) {
    const verification = await inCheckout(workspace, { tree, head, name: call, signal }, ({ folder, reset }) =>
      on({ place: { folder, tree, retries: 1 }, reset }),
    )
    return { verification }
  }
  const reset = () => resetTo(workspace, tree, { head, signal })
  await reset()
  const aside = (key: string, paths: readonly string[]) => setAside(shop, session, workspace, key, paths)
  const secure = async () => aside(`${call}/setup`, await untrackedIn(workspace))
  const verification = await on({ place: { folder: workspace.tree, tree, memory: memoryOf(workspace), secure }, reset })
  if (call !== BASE) return { verification }
  const { byProducts, ...left } = known ?? (await leftBehind(workspace))
  await aside(BASE, byProducts)
  const checks: ChecksRun = { verification, ...(left.leftNothing ? { leftNothing: true } : {}) }
  if (!known) await rememberBase(shop, session, head, { ...checks, byProducts })
  return checks
}

async function leftBehind(workspace: Workspace): Promise<Pick<BaseResults, 'byProducts' | 'leftNothing'>> {
  const [byProducts, ignored] = await Promise.all([untrackedIn(workspace), ignoredIn(workspace)])
  return { byProducts, ...(byProducts.length + ignored.length === 0 ? { leftNothing: true } : {}) }
}

interface Ground {
  readonly place: Place
  /** Makes the files that git knows again what the tree says. */
  readonly reset: () => Promise<void>
}

async function runOn(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { input, known, place, reset }: Ground & Omit<Checked, 'tree'>,
  beat: Beat,
): Promise<readonly VerificationRun[]> {
  const { call } = input
  const failed = await makeReady()
  if (failed) return [failed]
  if (known) return known.verification

  const { commands, setup, timeout_seconds: timeoutSeconds, fail_fast, reports } = session.settings.verification
  const judge = await againstBase(shop, session)
  const runs: VerificationRun[] = []
  let isRenewed = false
  for (const [index, command] of commands.entries()) {
    beat.say(`verifying: ${await shop.masking.text(command)}`)
    const cwd = place.folder
    const asked = { command, name: `${call}.${index + 1}`, cwd, knownAs: workspace.tree, timeoutSeconds, reports }
    const ended = await runCommand(shop, session, asked, beat)
    const run = isEmptied(place.folder) ? { ...ended, outcome: 'failed: it removed the work tree' } : ended
    runs.push(run)
    // The base is run whole: a command that is not reached there could not be judged later.
    if (judge(run).counts && fail_fast && call !== BASE) break
    if (run === ended) continue
    // What is left of the commands has something to look at all the same; a setup after each of them would take longer than there is time.
    if (isRenewed && setup.length > 0) return [...runs, ...(await notRun(commands.slice(index + 1)))]
    isRenewed = true
    if (place.memory !== undefined) await removeAll(place.memory)
    await reset()
    const again = await makeReady({ ...place, retries: 0 })
    if (again) return [...runs, again]
  }
  return runs

  /** Answers with what failed. */
  async function makeReady(ready = place): Promise<VerificationRun | undefined> {
    const set = await setUp(shop, session, workspace, { call, place: ready }, beat)
    if (set.kind === 'failed' && call === BASE) {
      throw ApplicationFailure.nonRetryable(await shop.masking.text(whyNotSetUp(set.run)))
    }
    if (set.kind === 'failed') return { ...set.run, setup: true }
    // What is judged is the tree, and not what a setup makes of its files.
    if (set.kind === 'done') await reset()
    return undefined
  }

  /** Each has a result all the same: one that has none on the base could not be judged later. */
  async function notRun(left: readonly string[]): Promise<VerificationRun[]> {
    const outcome = 'failed: not run, as commands before it removed the work tree twice'
    return await Promise.all(left.map(async (command) => ({ command: await shop.masking.text(command), outcome })))
  }
}

function isEmptied(folder: string): boolean {
  return namesIn(folder).every((name) => name === '.git')
}

/** What the checks make where nothing was fixed yet is theirs: a fixer that runs them, too, must not commit it. */
async function setAside(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  key: string,
  paths: readonly string[],
): Promise<void> {
  const files = session.issues.map(({ file }) => file)
  const hidden = ignorePaths(workspace, paths, files)
  if (hidden.length === 0) return
  const message = `made by the checks themselves, so never committed: ${listed(hidden)}`
  await tell(shop, session.id, [
    { key: `${key}/by-products`, type: 'fix_log', message, data: { ...IN_PASSING, paths: hidden.slice(0, 100) } },
  ])
}
