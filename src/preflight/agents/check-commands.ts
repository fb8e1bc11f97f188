// Checks before anything is paid for whether the programs of setup and verification are installed where they will run. Whether a command
// comes to anything is seen on the untouched base. Gap: a program behind a path, an assignment or `&&` is not looked at.
import type { Settings } from '../../domain/settings/schema.ts'
import { isIgnored } from '../../domain/verification/broken-checks.ts'
import { runTool } from '../../platform/processes/run-tool.ts'
import type { Environment } from '../../runtime/home/home.ts'

/** The process that will start agents and checks. */
export interface AgentHost {
  readonly env: Environment
  /** An instance runs already, so its environment counts and not that of the command. */
  readonly isInstance: boolean
}

const LOOK_UP = 'for each in "$@"; do command -v -- "$each" > /dev/null || echo "$each"; done'
const LOOK_UP_TIMEOUT_MS = 10_000

export async function listMissingPrograms(
  { verification }: Settings,
  { env, isInstance }: AgentHost,
): Promise<string[]> {
  const { setup, commands, ignore_broken } = verification
  // A setup may install what the checks call.
  const checks = commands.filter((command) => !isIgnored({ command }, ignore_broken))
  const called = (setup.length > 0 ? setup.slice(0, 1) : checks).flatMap((command) => {
    const program = /^\s*([\w.+-]+)(?=$|[\s;&|])/.exec(command)?.[1]
    return program === undefined ? [] : [{ command, program }]
  })
  if (called.length === 0) return []
  const programs = called.map(({ program }) => program)
  const options = { env: { ...env }, timeoutMs: LOOK_UP_TIMEOUT_MS }
  const { stdout } = await runTool('sh', ['-c', LOOK_UP, 'sh', ...programs], options)
  const missing = stdout.split('\n')
  const where = isInstance ? 'where the running instance looks' : 'here'
  return called
    .filter(({ program }) => missing.includes(program))
    .map(({ command, program }) => `"${command}" can't run: ${program} is not installed ${where}`)
}
