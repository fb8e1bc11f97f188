// Hostile inputs and their canaries. A case is one input, given twice: in the naive way, where a canary has to fire (else the case
// proves nothing), and to Fixwright, where none may. A canary is a program that ran, a path outside that changed, a secret in what
// was written for others, an alarm that the case raises itself (a block that was closed early, an escape on a terminal).
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readDataBlocks } from '../../rehearsal/prompt.ts'
import { type Sandbox, sandbox } from '../platform/git/support.ts'

export interface Case {
  /** What is given, as the table in docs/security.md says it. */
  readonly input: string
  /** What it would do to somebody naive. */
  readonly harm: string
  readonly holds: string
  readonly naive: (arena: Arena) => unknown
  readonly guarded: (arena: Arena) => unknown
}

export interface Arena extends Sandbox {
  readonly t: TestContext
  /** A folder in which nobody has anything to write. */
  readonly outside: string
  /** A token of GitHub's form, made up for this run. */
  readonly secret: string
  /** A program that leaves a trace when it runs, and a command of the shell that does so without a blank in it. */
  readonly trap: string
  readonly command: string
  /** Something was written where others read it: a prompt, an event, an artifact, a message of a commit. */
  wrote(text: string): void
  /** Something was shown on a terminal. */
  showed(text: string): void
  /** A prompt that is to hold `words` as data and nowhere else. */
  asked(prompt: string, words: string): void
  alarm(what: string): void
  alarmIf(fired: boolean, what: string): void
  fired(): string[]
}

export type Class = 'finding' | 'repository' | 'file content' | 'model reply' | 'command output'

export function runCases(about: Class, cases: readonly Case[]): void {
  for (const { input, naive, guarded } of cases) {
    test(nameOf(about, input), async (t) => {
      const unprotected = setArena(t)
      await naive(unprotected)
      assert.notDeepEqual(unprotected.fired(), [], 'without protection its canary fires')
      const arena = setArena(t)
      await guarded(arena)
      assert.deepEqual(arena.fired(), [], 'with it none does')
    })
  }
}

export function nameOf(about: Class, input: string): string {
  return `hostile ${about}: ${input}`
}

export function setArena(t: TestContext): Arena {
  const box = sandbox(t)
  const outside = join(box.home, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'theirs.txt'), 'as it was\n')
  const trace = join(box.home, 'it-ran')
  const trap = join(box.home, 'trap')
  writeFileSync(trap, `#!/bin/sh\n: > '${trace}'\n`, { mode: 0o755 })
  const secret = `ghp_${randomBytes(27).toString('base64').replaceAll(/[+/]/g, 'x')}`
  const before = fingerprintOf(outside)
  const alarms: string[] = []
  const alarmIf = (fired: boolean, what: string) => void (fired && alarms.push(what))
  return {
    ...box,
    t,
    outside,
    secret,
    trap,
    command: trap,
    wrote: (text) => alarmIf(text.includes(secret), 'a secret was written down'),
    showed: (text) => alarmIf(obeyed(text), 'a terminal was told what to do'),
    asked: (prompt, words) => {
      for (const alarm of wordsOutside(prompt, words)) alarms.push(alarm)
      const blocks = [...readDataBlocks(prompt).values()]
      alarmIf(!blocks.some((content) => content.includes(words)), 'a block was closed early')
    },
    alarm: (what) => void alarms.push(what),
    alarmIf,
    fired: () => [
      ...alarms,
      ...(existsSync(trace) ? ['a command ran'] : []),
      ...(fingerprintOf(outside) === before ? [] : ['a path outside was changed']),
    ],
  }
}

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g')

/** Whether words of somebody else stand in a prompt outside of its blocks. */
export function wordsOutside(prompt: string, words: string): string[] {
  const ours = [...readDataBlocks(prompt).values()].reduce((rest, content) => rest.replaceAll(content, ''), prompt)
  return ours.includes(words) ? ['words of somebody else stand among ours'] : []
}

/** Anything but colours, line ends and tabs; or what turns the direction of a line. */
export function obeyed(text: string): boolean {
  const plain = text.replaceAll(COLOUR, '').replaceAll('\r\n', '\n')
  return /(?![\n\t])\p{Cc}|\p{Bidi_Control}/u.test(plain)
}

function fingerprintOf(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const all = names.map((name) => {
    const path = join(folder, name)
    const stats = lstatSync(path)
    const content = stats.isSymbolicLink() ? readlinkSync(path) : stats.isFile() ? readFileSync(path, 'latin1') : ''
    return [name, stats.mode, content]
  })
  return createHash('sha256').update(JSON.stringify(all)).digest('hex')
}

/** Whether it throws, for the naive way that falls over. */
export async function fails(run: () => unknown): Promise<boolean> {
  try {
    await run()
    return false
  } catch {
    return true
  }
}
