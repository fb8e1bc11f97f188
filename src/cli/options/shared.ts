// The options that several commands share, and how their values are read.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { FixwrightError } from '../../app/errors.ts'
import { SHORT_FLAGS } from '../../app/settings/load-settings.ts'

export const SESSION_ARGUMENT_HELP = 'its id, or the beginning of it ("fixwright list" shows them)'
export const LATEST_SESSION_HELP = `${SESSION_ARGUMENT_HELP}; without it the latest of this repository`

export function addSettingsOptions(command: Command): Command {
  return command
    .option('--set <path=value>', 'a setting by its path, as "fixwright config" shows them; repeatable', collectSetting)
    .option('--temporal <address>', 'an existing Temporal cluster (host:port) instead of the embedded server')
}

export function addJsonOption(command: Command): Command {
  return command.option('--json', 'as JSON on standard output, for programs')
}

/** Collects the settings among a command's options: short flags by name, `--set` by path. */
export function collectSettingFlags({ set, ...given }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const short = Object.keys(SHORT_FLAGS).map((flag) => [flag, given[new Option(flag).attributeName()]] as const)
  return { ...Object.fromEntries(short.filter(([, value]) => value !== undefined)), ...(set as object | undefined) }
}

export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

export function parseInteger(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('must be a whole number')
  return Number(text)
}

/** Checks a value against a fixed set; the error lists the allowed ones. */
export function parseChoice<Value extends string>(what: string, typed: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === typed)
  if (found !== undefined) return found
  throw new FixwrightError('bad_input', `${what} ${typed}: must be one of ${values.join(', ')}`)
}

/** Several values, with commas between them. */
export function parseChoices<Value extends string>(
  what: string,
  typed: string | undefined,
  values: readonly Value[],
): Value[] | undefined {
  return typed?.split(',').map((each) => parseChoice(what, each.trim(), values))
}

export function isFlagSet(flag: true | undefined): boolean {
  return flag === true
}

export function setExitCode(status: number): void {
  process.exitCode = status
}

function collectSetting(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('must be path=value, as in --set claude.timeout_seconds=600')
  return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1) }
}
