// What the operator's commands need before they can work (`npm ci`): run once for a workspace, and again where the lockfiles and
// manifests of the tree are not those it was run for, or something that it made is gone. What was run is written down beside the workspace,
// and only when it is done.
import { join } from 'node:path'
import { IN_PASSING } from '../../domain/session/events.ts'
import { hashOf } from '../../domain/session/idempotency-key.ts'
import { cut } from '../../domain/text/cut.ts'
import type { VerificationRun } from '../../domain/verification/compare-runs.ts'
import { decidesSetup } from '../../domain/verification/setup-inputs.ts'
import { kindOf, readPlain, removeAll, writeWhole } from '../../platform/git/files.ts'
import { lockedFolder } from '../../platform/git/workspace/fill-tree.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { ignoredIn } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { entriesOf } from '../../platform/git/workspace/tree-entries.ts'
import { isUntouchedIn } from '../agent-call/sandbox.ts'
import { tell } from '../append-events.ts'
import type { Session, Workshop } from '../context.ts'
import type { Beat } from '../heartbeat.ts'
import { runCommand } from './run-command.ts'

export interface Place {
  /** Where it runs. */
  readonly folder: string
  /** The tree that lies there. */
  readonly tree: string
  /** Remembers for which files it was run; absent where nothing was made before. */
  readonly memory?: string | undefined
  /** Sees to it that what was made stays; before that it does not count as run. */
  readonly secure?: (() => Promise<void>) | undefined
  /** How often a command that fails is tried again: what worked for these very files before may have met a bad moment. */
  readonly retries?: number | undefined
}

export type SetUp =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly run: VerificationRun }

export function memoryOf({ directory }: Workspace): string {
  return join(directory, 'setup.json')
}

export async function setUp(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { call, place }: { readonly call: string; readonly place: Place },
  beat: Beat,
): Promise<SetUp> {
  const { setup, setup_timeout_seconds: timeoutSeconds } = session.settings.verification
  if (setup.length === 0) return { kind: 'nothing' }
  const { folder, tree, memory, secure, retries = 0 } = place
  const inputs = await inputsOf(session, workspace, tree)
  const before = memory === undefined ? undefined : readMemory(memory)
  const changed = before ? differences(before.inputs, inputs) : []
  const gone = (before?.made ?? []).filter((path) => kindOf(join(folder, path)) === 'missing')
  if (before && changed.length + gone.length === 0) return { kind: 'nothing' }

  if (memory !== undefined) await removeAll(memory)
  const why = [...changed.slice(0, 5), ...gone.slice(0, 5).map((path) => `${path} (gone)`)].join(', ')
  await tell(shop, session.id, [
    {
      key: `${call}/setup`,
      type: 'fix_log',
      message: `setting up${before ? ` again, for ${why}` : ''}: ${setup.join(' · ')}`,
      data: { ...IN_PASSING, call, setup, changed: changed.slice(0, 100), gone: gone.slice(0, 100) },
    },
  ])
  const isUntouched = await isUntouchedIn(shop, session)
  const started = performance.now()
  for (const [index, command] of setup.entries()) {
    beat.say(`setting up: ${await shop.masking.text(command)}`)
    const runAs = (name: string) =>
      runCommand(
        shop,
        session,
        { command, name, cwd: folder, knownAs: workspace.tree, timeoutSeconds, isUntouched },
        beat,
      )
    let run = await runAs(`${call}.setup${index + 1}`)
    for (let again = 1; again <= retries && run.outcome !== 'passed'; again += 1) {
      run = await runAs(`${call}.setup${index + 1}.again${again}`)
    }
    // Made anew it would lack what the setup makes, and each check would fail for that.
    if (run.outcome === 'passed') run = { ...run, outcome: await outcomeOfTree({ ...workspace, tree: folder }, tree) }
    if (run.outcome !== 'passed') {
      await tellEnd(`the setup failed: ${command}: ${run.outcome}`, {})
      return { kind: 'failed', run }
    }
  }
  await secure?.()
  if (memory !== undefined) {
    const made = (await ignoredIn(workspace)).slice(0, MOST_MADE)
    writeWhole(memory, JSON.stringify({ inputs, made } satisfies Memory))
  }
  await tellEnd(`set up in ${((performance.now() - started) / 1000).toFixed(1)} s`, IN_PASSING)
  return { kind: 'done' }

  async function tellEnd(message: string, level: object): Promise<void> {
    await tell(shop, session.id, [{ key: `${call}/setup/end`, type: 'fix_log', message, data: { ...level, call } }])
  }
}

async function outcomeOfTree(at: Workspace, tree: string): Promise<string> {
  if (kindOf(at.tree) !== 'directory') return 'failed: it removed the work tree'
  const locked = await lockedFolder(at, tree)
  return locked === undefined
    ? 'passed'
    : `failed: it gave ${locked === '.' ? 'the work tree' : locked} to another user`
}

/** Path → hash, and the commands themselves. */
type Inputs = Readonly<Record<string, string>>

async function inputsOf({ settings }: Session, workspace: Workspace, tree: string): Promise<Inputs> {
  const entries = await entriesOf(workspace, tree)
  const { protected: always, protected_unless_about: unlessAbout } = settings.scope
  const deciding = entries.filter(({ path }) => decidesSetup(path, [...always, ...unlessAbout]))
  return {
    'the commands': hashOf(settings.verification.setup),
    ...Object.fromEntries(deciding.map(({ path, sha }) => [path, sha])),
  }
}

interface Memory {
  readonly inputs: Inputs
  /** What was ignored in the tree then: an agent that tidies up takes it away. */
  readonly made: readonly string[]
}

const MOST_MADE = 1_000

function readMemory(file: string): Memory | undefined {
  try {
    const { inputs, made } = JSON.parse(readPlain(file) ?? '') as Memory
    return { inputs: { ...inputs }, made: [...made] }
  } catch {
    return undefined
  }
}

function differences(before: Inputs, after: Inputs): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...paths].filter((path) => before[path] !== after[path])
}

const MOST_TOLD = 240

/** For the one line that a session ends with: what went wrong is said last by most, and first by npm. */
export function whyNotSetUp({ command, outcome, output = '', errors = '' }: VerificationRun, where: string): string {
  const lines = `${errors.trim() || output.trim()}`.split('\n').map((line) => line.trim())
  const said = lines.filter(Boolean).join(' / ')
  const half = MOST_TOLD / 2
  const told = said.length <= MOST_TOLD ? said : `${said.slice(0, half).toWellFormed()} … ${said.slice(-half)}`
  const what = `setup "${cut(command, 60)}" ${outcome} on ${where}`
  return told === '' ? what : `${what}: ${told.toWellFormed()}`
}
