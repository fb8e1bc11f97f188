// Gate 2: the operator's own commands, run in the session's tree one after the other. They are judged against the untouched
// base: what failed there before is nobody's fault, unless `strict` demands that everything passes.
// Gap: per command only; which tests of a command broke is read in a later version.
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { VerificationOutput } from '../agents/prompt-parts.ts'
import type { NewEvent } from '../domain/events.ts'
import { hashOf } from '../domain/key.ts'
import type { JudgeInput, VerifyOutcome } from '../domain/protocol.ts'
import { ignoreUntracked, resetTo } from '../git/tree.ts'
import type { Workspace } from '../git/workspace.ts'
import { type Excerpt, excerpt } from '../processes/excerpt.ts'
import { markerOf } from '../processes/marker.ts'
import { runProcess } from '../processes/run.ts'
import type { Beat } from './beating.ts'
import { BASE, type GateRecord, keepGate, readGate, whatCounts } from './feedback.ts'
import { composeTree } from './trees.ts'
import {
  folderOf,
  keep,
  listed,
  loadSession,
  marked,
  type Session,
  tell,
  type Workshop,
  workspaceOf,
} from './workshop.ts'

export async function verifyBase(
  shop: Workshop,
  { sessionId, call, head }: { sessionId: string; call: string; head: string },
  beat: Beat,
): Promise<VerifyOutcome> {
  return await verify(shop, { sessionId, call, head, picks: [], codes: [], iteration: 0 }, beat)
}

export async function verifyTree(shop: Workshop, input: JudgeInput, beat: Beat): Promise<VerifyOutcome> {
  return await verify(shop, input, beat)
}

async function verify(shop: Workshop, input: JudgeInput, beat: Beat): Promise<VerifyOutcome> {
  const session = await loadSession(shop, input.sessionId)
  const workspace = workspaceOf(shop, session.id)
  const { tree } = await composeTree(workspace, input.head, input.picks)
  const known = await readGate(shop, session, input.call)
  if (known?.tree === tree && known.verification) return await judge(shop, session, input, known)

  const { commands } = session.settings.verification
  const started: NewEvent = {
    key: `${input.call}/started`,
    type: 'fix_verification_started',
    message: input.call === BASE ? `on the untouched base: ${commands.join(' · ')}` : commands.join(' · '),
    data: { commands, tree, iteration: input.iteration },
  }
  await tell(shop, session.id, [started])
  await resetTo(workspace, tree, { head: input.head, signal: beat.signal })
  const verification: VerificationOutput[] = []
  const isBroken = await whatCounts(shop, session)
  for (const [index, command] of commands.entries()) {
    beat.say(`verifying: ${command}`)
    const result = await runCommand(
      shop,
      session,
      { command, name: `${input.call}.${index + 1}`, cwd: workspace.tree },
      beat,
    )
    beat.signal.throwIfAborted()
    verification.push(result)
    // The base is run whole: a command that is not reached there could not be judged later.
    if (isBroken(result) && session.settings.verification.fail_fast && input.call !== BASE) break
  }
  if (input.call === BASE) await setByProductsAside(shop, session, workspace)
  const record = { tree, verification }
  await keepGate(shop, session, input.call, record)
  return await judge(shop, session, input, record)
}

/** What the checks make where nothing was fixed yet is theirs: a fixer that runs them, too, must not commit it. */
async function setByProductsAside(shop: Workshop, session: Session, workspace: Workspace): Promise<void> {
  const files = session.issues.map(({ file }) => file)
  const hidden = await ignoreUntracked(workspace, files)
  if (hidden.length === 0) return
  const message = `made by the checks themselves, so never committed: ${listed(hidden)}`
  await tell(shop, session.id, [
    { key: `${BASE}/by-products`, type: 'fix_log', message, data: { paths: hidden.slice(0, 100) } },
  ])
}

async function runCommand(
  shop: Workshop,
  session: Session,
  { command, name, cwd }: { command: string; name: string; cwd: string },
  beat: Beat,
): Promise<VerificationOutput> {
  const folder = join(folderOf(shop, session.id), 'calls', name)
  await mkdir(folder, { recursive: true })
  const marker = markerOf(session.id, name, 1, randomUUID().slice(0, 8))
  const [output, errors] = [excerpt(40, 160), excerpt(40, 160)]
  const stdoutFile = join(folder, 'stdout')
  const stderrFile = join(folder, 'stderr')
  const result = await marked(shop, marker, () =>
    runProcess({
      command: '/bin/sh',
      args: ['-c', command],
      cwd,
      env: commandEnvironment(shop.environment),
      input: '',
      stdoutFile,
      stderrFile,
      deadlineMs: session.settings.verification.timeout_seconds * 1000,
      graceMs: 2_000,
      signal: beat.signal,
      marker,
      onLine: noting(output),
      onErrorLine: noting(errors),
      pidNamespace: session.settings.sandbox.pid_namespace,
    }),
  )
  await keep(shop, session.id, 'verification', `${name}.stdout`, { file: stdoutFile })
  await keep(shop, session.id, 'verification', `${name}.stderr`, { file: stderrFile })
  const { masking } = shop
  const said = await masking.text(errors.text())
  return {
    command,
    outcome: outcomeOf(result),
    output: await masking.text(output.text()),
    ...(said === '' ? {} : { errors: said }),
  }
}

function noting(into: Excerpt): (line: string) => undefined {
  return (line) => void into.add(line)
}

function outcomeOf({ ended, exitCode, signal }: Awaited<ReturnType<typeof runProcess>>): string {
  if (ended === 'exited' && exitCode === 0) return 'passed'
  if (ended === 'deadline') return 'failed: it ran out of time'
  if (ended === 'not_found') return 'failed: there is no shell to run it'
  return signal ? `failed: ended by ${signal}` : `failed: exit status ${exitCode}`
}

async function judge(shop: Workshop, session: Session, input: JudgeInput, record: GateRecord): Promise<VerifyOutcome> {
  const runs = record.verification ?? []
  const isBroken = await whatCounts(shop, session)
  const failed = runs.filter(({ outcome }) => outcome !== 'passed')
  const isFailed = input.call !== BASE && runs.some(isBroken)
  // What was red before and is red after proves nothing.
  const verdict = isFailed ? 'failed' : failed.length < runs.length ? 'passed' : 'unverified'
  const summary = (failed.length > 0 ? failed : runs).map(({ command, outcome }) => `${command}: ${outcome}`).join('; ')
  await tell(shop, session.id, [
    {
      key: `${input.call}/result`,
      type: 'fix_verification_result',
      message: `${verdict}${summary ? ` · ${summary}` : ''}`,
      data: { verdict, iteration: input.iteration, runs: runs.map(({ command, outcome }) => ({ command, outcome })) },
    },
  ])
  const words = hashOf([record.tree, summary]).slice(0, 12)
  return { verdict, tree: record.tree, summary: summary.slice(0, 500), words }
}

const INHERITED = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'XDG_CACHE_HOME'],
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
  ],
  ...[
    'NODE_EXTRA_CA_CERTS',
    'VIRTUAL_ENV',
    'JAVA_HOME',
    'GOPATH',
    'GOCACHE',
    'GOMODCACHE',
    'CARGO_HOME',
    'RUSTUP_HOME',
  ],
])

/** What a project's checks need of the operator's environment: no credential, nothing of Temporal's or ours. */
function commandEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => INHERITED.has(name))), CI: 'true' }
}
