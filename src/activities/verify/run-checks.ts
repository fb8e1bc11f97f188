// Runs the setup and the commands of the operator's on one tree: in the session's own work tree, where what was made before stays, or
// in a checkout that holds nothing but the tree. Nothing is judged here but how each of them ended.
import { ApplicationFailure } from '@temporalio/common'
import type { JudgeInput } from '../../domain/protocol/index.ts'
import { IN_PASSING } from '../../domain/session/events.ts'
import { listed } from '../../domain/text/join-list.ts'
import type { VerificationRun } from '../../domain/verification/compare-runs.ts'
import { type Left, namesIn, removeAll } from '../../platform/git/files.ts'
import { writeTracked } from '../../platform/git/workspace/fill-tree.ts'
import { inCheckout } from '../../platform/git/workspace/fresh-checkout.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import {
  changedIn,
  ignoredIn,
  ignorePaths,
  resetTo,
  untrackedIn,
} from '../../platform/git/workspace/snapshot-and-reset.ts'
import { tell } from '../append-events.ts'
import { tellLeft } from '../close/remove-session-folder.ts'
import type { Session, Workshop } from '../context.ts'
import type { Beat } from '../heartbeat.ts'
import { BASE, besideGround, groundOf } from './baseline.ts'
import { type BaseResults, rememberBase, rememberedByProducts } from './baseline-cache.ts'
import { runCommand } from './run-command.ts'
import { memoryOf, type Place, setUp, whyNotSetUp } from './run-setup.ts'

export interface Checked {
  readonly input: JudgeInput
  readonly tree: string
  /** Nothing was fixed in it: all of it is run, whatever fails, for what is not run there could not be judged later. */
  readonly isGround?: boolean | undefined
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
  { input, tree, isGround, known }: Checked,
  beat: Beat,
): Promise<ChecksRun> {
  const { call, head } = input
  const { signal } = beat
  const on = (where: Where) => runOn(shop, session, workspace, { input, isGround, known, ...where }, beat)
  if (input.fresh) {
    const onLeft = (left: Left) => tellLeft(shop, session, left)
    const request = { tree, head, name: call, onLeft, signal }
    const verification = await inCheckout(workspace, request, ({ folder, reset, changed }) =>
      on({ place: { folder, tree, retries: 1 }, reset, changed, putBack: reset }),
    )
    return { verification }
  }
  const reset = () => resetTo(workspace, tree, { head, signal })
  await reset()
  const aside = (key: string, paths: readonly string[]) => setAside(shop, session, workspace, key, paths)
  const secure = async () => aside(`${call}/setup`, await untrackedIn(workspace))
  const changed = () => changedIn(workspace, { signal })
  const putBack = () => writeTracked(workspace, tree, { signal })
  const place: Place = { folder: workspace.tree, tree, memory: memoryOf(workspace), secure }
  const verification = await on({ place, reset, changed, putBack })
  if (call !== BASE) return { verification }
  const { byProducts, ...left } = known ?? (await leftBehind(shop, session, workspace, head))
  const checks: ChecksRun = { verification, ...(left.leftNothing ? { leftNothing: true } : {}) }
  // Before they are hidden: from then on nobody could find them.
  if (!known) await rememberBase(shop, session, head, { ...checks, byProducts })
  await aside(BASE, byProducts)
  return checks
}

async function leftBehind(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  head: string,
): Promise<Pick<BaseResults, 'byProducts' | 'leftNothing'>> {
  const [found, ignored] = await Promise.all([untrackedIn(workspace), ignoredIn(workspace)])
  // A worker that died after hiding them had remembered them.
  const byProducts = [...new Set([...found, ...(await rememberedByProducts(shop, session, head))])]
  return { byProducts, ...(byProducts.length + ignored.length === 0 ? { leftNothing: true } : {}) }
}

interface Where {
  readonly place: Place
  /** Makes of the place what it was before anything was made in it, ignored files apart. */
  readonly reset: () => Promise<unknown>
  /** Of the files that git knows, those that are not what the tree says. */
  readonly changed: () => Promise<readonly string[]>
  /** Makes these what it says, and leaves what was made alone: a command may need what another one built. Answers whether it could. */
  readonly putBack: () => Promise<boolean>
}

async function runOn(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { input, isGround, known, place, reset, changed, putBack }: Where & Omit<Checked, 'tree'>,
  beat: Beat,
): Promise<readonly VerificationRun[]> {
  const { call } = input
  const failed = await makeReady()
  if (failed) return [failed]
  if (known) return known.verification

  const { commands, setup, timeout_seconds: timeoutSeconds, fail_fast, reports } = session.settings.verification
  const judge = await besideGround(shop, session, groundOf(session, input.head))
  const runs: VerificationRun[] = []
  let isRenewed = false
  for (const [index, command] of commands.entries()) {
    beat.say(`verifying: ${await shop.masking.text(command)}`)
    const cwd = place.folder
    const asked = { command, name: `${call}.${index + 1}`, cwd, knownAs: workspace.tree, timeoutSeconds, reports }
    const ended = await runCommand(shop, session, asked, beat)
    const isGone = isEmptied(place.folder)
    const rewritten = isGone ? [] : await changed()
    const run: VerificationRun = {
      ...ended,
      ...(isGone ? { outcome: 'failed: it removed the work tree' } : {}),
      ...(rewritten.length > 0 ? { rewrote: rewritten.slice(0, MOST_NAMED) } : {}),
    }
    runs.push(run)
    await tellRun(run, index)
    if (judge(run).counts && fail_fast && !isGround) break
    // The next one is to see what would be committed, and not what this one makes of it.
    const isPutBack = rewritten.length === 0 || (await putBack())
    if (!isGone && isPutBack) continue
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
    if (set.kind === 'failed' && isGround) {
      const where = call === BASE ? 'the untouched base' : input.head.slice(0, 10)
      throw ApplicationFailure.nonRetryable(await shop.masking.text(whyNotSetUp(set.run, where)))
    }
    if (set.kind === 'failed') return { ...set.run, setup: true }
    // What is judged is the tree, and not what a setup makes of its files.
    if (set.kind === 'done') await reset()
    return undefined
  }

  /** Where there are several: the word on all of them may be many minutes away. */
  async function tellRun({ command, outcome }: VerificationRun, index: number): Promise<void> {
    if (commands.length < 2) return
    const key = `${call}/${input.fresh ? 'fresh' : 'run'}/${index + 1}`
    const message = `check ${index + 1} of ${commands.length} · ${command}: ${outcome}`
    await tell(shop, session.id, [{ key, type: 'fix_log', message, data: { ...IN_PASSING, call, command, outcome } }])
  }

  /** Each has a result all the same: one that has none on the base could not be judged later. */
  async function notRun(left: readonly string[]): Promise<VerificationRun[]> {
    const outcome = 'failed: not run, as commands before it removed the work tree twice'
    return await Promise.all(left.map(async (command) => ({ command: await shop.masking.text(command), outcome })))
  }
}

/** Of files that a command rewrote. */
const MOST_NAMED = 20

/** One that can't be read is of no more use. */
function isEmptied(folder: string): boolean {
  try {
    return namesIn(folder).every((name) => name === '.git')
  } catch {
    return true
  }
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
