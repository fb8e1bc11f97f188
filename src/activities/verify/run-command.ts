// Runs an operator's command in a shell, with a clean environment and a time limit, and records all output. No other
// place spawns such commands.

import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { formatStepPart } from '../../domain/session/step-id.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { VerificationRun } from '../../domain/verification/gate-record.ts'
import { getPathKind } from '../../platform/git/unruly-files.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { createMasking } from '../../platform/masking/mask-secrets.ts'
import { createHeadAndTail } from '../../platform/processes/head-and-tail.ts'
import { formatMarker } from '../../platform/processes/marked-processes.ts'
import { withMarkerFile } from '../../platform/processes/reap-orphans.ts'
import { runProcess } from '../../platform/processes/run-process.ts'
import { storeArtifact } from '../artifacts.ts'
import { type ActivityContext, type Heartbeat, type Session, sessionFolder } from '../context.ts'
import { watchTestRun } from './collect-test-results.ts'
import { enterCommandSandbox } from './command-sandbox.ts'

/** The most bytes kept of each stream, besides its end; nobody reads more. */
const MAX_BYTES = 32 * 2 ** 20
/** A stream that prints more has run wild, and would keep the worker busy until its time is over. */
const FLOOD_MEGABYTES = 500

/** A session's workspace, and the activity that runs commands for it. */
export interface VerifyContext {
  readonly context: ActivityContext
  readonly session: Session
  readonly workspace: Workspace
  readonly heartbeat: Heartbeat
}

export interface CommandInput {
  readonly command: string
  /** Names the run's outputs and processes; unique in the session. */
  readonly name: string
  /** Output shows it as the session's tree: an agent knows no other folder. */
  readonly cwd: string
  readonly timeoutSeconds: number
  /** Patterns of its test reports; absent if it runs no tests. */
  readonly reports?: readonly string[] | undefined
  /** No agent could touch anything yet: the command runs as the operator would run it, with network and caches. */
  readonly isUntouched?: boolean | undefined
}

/** Returns a run whatever the command does; only a broken disk and a cancellation throw. */
export async function runCommand(
  { context: asWorker, session, workspace, heartbeat }: VerifyContext,
  { command, name, cwd, timeoutSeconds, reports, isUntouched }: CommandInput,
): Promise<VerificationRun> {
  // Only commands see the variables that the settings name, so only what they print can hold them.
  const secret = session.settings.verification.environment.filter((each) => !INHERITED_VARIABLES.has(each))
  const context = secret.length === 0 ? asWorker : { ...asWorker, masking: createMasking(asWorker.environment, secret) }
  const folder = join(sessionFolder(context, session.id), 'calls', name)
  await mkdir(folder, { recursive: true })
  const marker = formatMarker(session.id, name, 1, randomUUID().slice(0, 8))
  const [output, errors] = [createHeadAndTail(40, 160), createHeadAndTail(40, 160)]
  const testing = reports ? await watchTestRun(cwd, reports) : undefined
  const stdoutFile = join(folder, 'stdout')
  const stderrFile = join(folder, 'stderr')
  const enclosed = isUntouched ? undefined : await enterCommandSandbox(context, session, { workspace, folder, cwd })
  const result = await withMarkerFile(context.markersFolder, marker, () =>
    runProcess({
      command: '/bin/sh',
      args: ['-c', command],
      cwd,
      env: { ...buildCommandEnvironment(context.environment, session.settings), ...enclosed?.environment },
      bubblewrap: enclosed?.bubblewrap,
      stdin: '',
      stdoutFile,
      stderrFile,
      deadlineMs: timeoutSeconds * 1000,
      graceMs: 2_000,
      signal: heartbeat.signal,
      marker,
      maxBytes: MAX_BYTES,
      floodBytes: FLOOD_MEGABYTES * 1e6,
      onLine: (line) => {
        output.add(line.replaceAll(cwd, workspace.tree))
        testing?.addLine(line)
        return undefined
      },
      onErrorLine: (line) => {
        errors.add(line.replaceAll(cwd, workspace.tree))
        testing?.addErrorLine(line)
      },
      pidNamespace: session.settings.sandbox.pid_namespace,
    }),
  ).finally(() => enclosed?.release())
  // A cancelled command says nothing about the tree.
  heartbeat.signal.throwIfAborted()
  const kept = [await keepOutput('stdout', stdoutFile), await keepOutput('stderr', stderrFile)]
  const { masking } = context
  const errorText = await masking.maskText(errors.text())
  const outcome = kept.includes(false)
    ? 'failed: it removed what was written down of its output'
    : describeOutcome(result)
  const exitStatus = result.ended === 'exited' ? (result.exitCode ?? undefined) : undefined
  const results = await testing?.collectResults({ isGreen: outcome === 'passed', exitStatus }, masking)
  return {
    // The masked command, because later comparisons read it from the record.
    command: await masking.maskText(command),
    outcome,
    output: await masking.maskText(output.text()),
    ...(errorText === '' ? {} : { errors: errorText }),
    ...results,
    ...(result.cutBytes > 0 ? { omittedBytes: result.cutBytes } : {}),
  }

  /** A command that attacks our own files may have put anything in their place. */
  async function keepOutput(kind: 'stdout' | 'stderr', file: string): Promise<boolean> {
    const isThere = getPathKind(file) === 'file'
    const what = isThere ? { file } : 'the command removed this file while it ran'
    await storeArtifact(context, session.id, 'verification', formatStepPart(name, { kind }), what)
    return isThere
  }
}

function describeOutcome({ ended, exitCode, signal }: Awaited<ReturnType<typeof runProcess>>): string {
  if (ended === 'exited' && exitCode === 0) return 'passed'
  if (ended === 'deadline') return 'failed: it ran out of time'
  if (ended === 'flooded') return `failed: it printed ${FLOOD_MEGABYTES} MB or more`
  if (ended === 'not_found') return 'failed: there is no shell to run it'
  return signal ? `failed: ended by ${signal}` : `failed: exit status ${exitCode}`
}

const INHERITED_VARIABLES = new Set([
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

/** The operator's environment as far as checks need it: nothing of Temporal's or ours, and no credentials but those that the settings name. */
export function buildCommandEnvironment(env: NodeJS.ProcessEnv, { verification }: Settings): NodeJS.ProcessEnv {
  const names = new Set([...INHERITED_VARIABLES, ...verification.environment])
  return { CI: 'true', ...Object.fromEntries(Object.entries(env).filter(([name]) => names.has(name))) }
}
