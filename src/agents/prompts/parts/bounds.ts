// Renders what bounds a fixer: where it may work, what was red before it, how long it has, and what it can reach.

import { jsonPart, type PromptPart } from '../render-prompt.ts'
import { cutLine } from '../shorten.ts'

export interface Bounds {
  /** Folders and files; empty is the whole repository. */
  readonly mayChange: readonly string[]
  /** Files near the issues' own that no fix may touch without a person's word. */
  readonly needPerson: readonly string[]
  /** The checks that fail without any fix, and their failing tests, if those can be read; a text where they are not known yet. */
  readonly redBefore: readonly RedCheck[] | string
  /** The time of the whole call, and of each check. */
  readonly seconds: number
  readonly checkSeconds: number
  readonly network: 'open' | 'closed'
  /** Commands that ran in this tree before. */
  readonly setup: readonly string[]
}

export interface RedCheck {
  readonly command: string
  readonly outcome: string
  readonly tests: readonly string[]
}

const MAX_NAMES = 20
const MAX_NAME_LENGTH = 160

interface BoundsOptions {
  readonly hasChecks: boolean
  /** The conversation holds all of it but the time. */
  readonly isHeld?: boolean | undefined
}

export function boundsPart(bounds: Bounds | undefined, { hasChecks, isHeld }: BoundsOptions): PromptPart | undefined {
  if (bounds === undefined) return undefined
  if (isHeld) return jsonPart('bounds', { this_call_ends_after: describeTime(bounds.seconds) })
  const { mayChange, needPerson, redBefore, seconds, checkSeconds, network, setup } = bounds
  return jsonPart('bounds', {
    may_change: mayChange.length === 0 ? 'the whole repository' : mayChange,
    needs_a_person: [...(mayChange.length === 0 ? [] : ['whatever lies elsewhere']), ...limitNames(needPerson), ALWAYS],
    ...(hasChecks ? { red_before: describeRed(redBefore), check_ends_after: describeTime(checkSeconds) } : {}),
    this_call_ends_after: describeTime(seconds),
    network: network === 'open' ? 'open' : 'closed, but for your model',
    ...(setup.length > 0 ? { setup_done: setup.map((command) => cutLine(command, MAX_NAME_LENGTH)) } : {}),
  })
}

function describeRed(checks: Bounds['redBefore']): unknown {
  if (typeof checks === 'string') return checks
  if (checks.length === 0) return 'nothing'
  return checks.map(({ tests, ...check }) => ({ ...check, ...(tests.length > 0 ? { tests: limitNames(tests) } : {}) }))
}

const ALWAYS = 'secrets, lockfiles, and what configures git, agents, editors or CI'

function limitNames(names: readonly string[]): string[] {
  const shown = names.slice(0, MAX_NAMES).map((name) => cutLine(name, MAX_NAME_LENGTH))
  return names.length > MAX_NAMES ? [...shown, `and ${names.length - MAX_NAMES} more`] : shown
}

function describeTime(seconds: number): string {
  return seconds < 120 ? `${Math.max(Math.floor(seconds), 1)} seconds` : `${Math.floor(seconds / 60)} minutes`
}
