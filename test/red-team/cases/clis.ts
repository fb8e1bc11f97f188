// The real CLIs as anybody would call them: in the folder, with whatever that configures.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cliPaths } from '../../../rehearsal/environment.ts'
import type { Stage } from '../../agents/support.ts'

const QUIET = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', IS_SANDBOX: '1' }

export async function plainClaude({ environment }: Stage, cwd: string, prompt: string): Promise<void> {
  await run(cliPaths().claude, ['--print', '--dangerously-skip-permissions'], { ...environment, ...QUIET }, cwd, prompt)
}

export async function plainGemini({ environment, home }: Stage, cwd: string, prompt: string): Promise<void> {
  mkdirSync(join(home, '.gemini'), { recursive: true })
  const signIn = { security: { auth: { selectedType: 'gemini-api-key' } } }
  writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(signIn))
  const args = ['--approval-mode', 'plan', '--skip-trust', '-m', 'gemini-2.5-flash']
  await run(cliPaths().gemini, args, { ...environment, GEMINI_CLI_NO_RELAUNCH: 'true' }, cwd, prompt)
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string, input: string) {
  return new Promise<void>((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'ignore', 'ignore'] })
    child.once('error', reject)
    child.once('close', () => resolve())
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}
