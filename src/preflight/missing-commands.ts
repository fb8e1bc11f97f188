import { installHint } from '../agents/cli-version.ts'
import { isChallenged, type Settings } from '../domain/settings/schema.ts'
import { findCommand } from '../platform/processes/find-command.ts'
import type { Environment } from '../runtime/home/home.ts'

/** The missing commands of a session with these settings, each with a hint on how to install it. */
export async function missingCommands(settings: Settings, env: Environment): Promise<string[]> {
  const { claude, gemini } = settings
  const needed = [
    { command: claude.command, vendor: 'claude' as const },
    ...(isChallenged(settings) ? [{ command: gemini.command, vendor: 'gemini' as const }] : []),
  ]
  const found = await Promise.all(needed.map(({ command }) => findCommand(command, env.PATH)))
  return needed
    .filter((_, index) => found[index] === undefined)
    .map(({ command, vendor }) => installHint(command, vendor))
}
