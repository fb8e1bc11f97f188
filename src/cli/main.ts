// The commands of the terminal. Each lives in a file of its own that is loaded only when it is called.
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { packageVersion } from '../runtime/version.ts'
import { BAD_INPUT, Exit } from './exit.ts'

function setting(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('must be path=value, as in --set claude.timeout_seconds=600')
  return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1) }
}

function list(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

interface Flags {
  readonly set?: Record<string, string>
  readonly profile?: string
  readonly verify?: readonly string[]
  readonly maxIterations?: string
  readonly temporal?: string
}

/** Flags that are settings under a shorter name. */
function flagsOf({ set, profile, verify, maxIterations, temporal }: Flags): Record<string, unknown> {
  const short = {
    profile,
    'verification.commands': verify,
    max_iterations: maxIterations,
    'temporal.address': temporal,
  }
  return { ...Object.fromEntries(Object.entries(short).filter(([, value]) => value !== undefined)), ...set }
}

function withSettings(command: Command): Command {
  return command
    .option('--set <path=value>', 'a setting, by its path; repeatable', setting)
    .option('--temporal <address>', 'an existing Temporal cluster instead of the embedded server')
}

function done(status: number): void {
  process.exitCode = status
}

const program = new Command('fixwright')
  .description('Turns review findings into commits that someone can trust')
  .version(packageVersion())
  .exitOverride()
  .showSuggestionAfterError()

withSettings(program.command('fix'))
  .description('fix findings on a repository, in a session that survives any crash')
  .argument('<findings>', 'a JSON file: {"issues":[…]}, the bare array, or a review with groups')
  .option('--repo <folder>', 'the git repository', '.')
  .option('--base <revision>', 'where the fixes start from (default: the default branch)')
  .option('--profile <name>', 'batched, sequential, or one of your own')
  .option('--notes <text>', 'what the fixer should know besides')
  .option('--task <id>', 'what this work is called (default: made from the findings)')
  .option('--verify <command>', 'a check that must not break; repeatable', list)
  .option('--max-iterations <n>', 'how often the fixer may try')
  .option('--allow-dirty', 'fix files that have uncommitted changes: the fix will not see them', false)
  .option('--json', 'print the result as JSON on standard output', false)
  .action(async (findings: string, options) => {
    const { fix } = await import('./fix.ts')
    const { repo, base, notes, task, allowDirty, json } = options
    done(await fix({ findings, repository: repo, base, notes, task, allowDirty, json, flags: flagsOf(options) }))
  })

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) done(error.exitCode === 0 ? 0 : BAD_INPUT)
  else if (error instanceof Exit) {
    process.stderr.write(`fixwright: ${error.message}\n`)
    done(error.status)
  } else throw error
}
