// Masks secrets in every text that we write: what is known to be the operator's own, and what looks like one. A text in which
// nothing looks like one costs a glance; a long one is looked at piece by piece, so that nothing else waits for it.
// Trees are never masked. Gap: what has no known form (a password in prose) is not recognised; docs/security.md has the list.
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { findOwn, type OwnSecret, ownSecrets } from './environment-secrets.ts'
import { findPatterns, isSuspicious } from './patterns.ts'
import { markFor, withoutMarks } from './placeholder.ts'
import { LONGEST_KEY } from './private-keys.ts'
import { type Detector, loadDetector } from './secretlint.ts'
import { blanked, type Found, isInside, merged, replaced } from './spans.ts'

export interface Masked {
  readonly text: string
  /** So many secrets were in it. */
  readonly found: number
}

export interface Masking {
  mask(text: string): Promise<Masked>
  text(text: string): Promise<string>
  /** With as many lines as before, also where a secret reached over several: for a text of which a piece is to be cut out. */
  lines(text: string): Promise<string>
  /** All strings in a value of JSON; the same value where there is no secret in it. */
  values<T>(value: T): Promise<T>
  /** Writes a copy without its secrets, where it holds any; answers with how many. */
  file(from: string, to: string): Promise<number>
  /** Whether nothing in it even looks like a secret. */
  isClean(text: string): boolean
}

const PIECE = 1 << 16
const SHORT_FILE = 1 << 20
/** What masking left may come to look like a secret; a text that never settles was made for that. */
const ROUNDS = 4

export function openMasking(environment: Readonly<Record<string, string | undefined>>): Masking {
  const own = ownSecrets(environment)
  return { mask: (all) => mask(all), text, lines, values, file, isClean }

  function isClean(all: string): boolean {
    return !isSuspicious(all) && !own.some((secret) => all.includes(secret.text))
  }

  async function mask(all: string, mark: Mark = markFor): Promise<Masked> {
    if (all.length <= PIECE)
      return isClean(all) ? { text: all, found: 0 } : maskPiece(all, own, await loadDetector(), mark)
    const parts: string[] = []
    let found = 0
    for (let rest = all; rest.length > 0; ) {
      const end = pieceEnd(rest)
      const piece = await mask(rest.slice(0, end), mark)
      parts.push(piece.text)
      found += piece.found
      rest = rest.slice(end)
      await setImmediate()
    }
    return found === 0 ? { text: all, found } : { text: parts.join(''), found }
  }

  async function text(all: string): Promise<string> {
    return (await mask(all)).text
  }

  async function lines(all: string): Promise<string> {
    return (await mask(all, markWithLines)).text
  }

  async function values<T>(value: T): Promise<T> {
    if (value === undefined || isClean(JSON.stringify(value))) return value
    return (await walk(value)) as T
  }

  async function walk(value: unknown): Promise<unknown> {
    if (typeof value === 'string') return await text(value)
    if (Array.isArray(value)) return await Promise.all(value.map(walk))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(async ([name, each]) => [name, await walk(each)] as const)
    return Object.fromEntries(await Promise.all(entries))
  }

  async function isCleanFile(name: string): Promise<boolean> {
    const short = shortText(name)
    if (short !== undefined) return isClean(short)
    for await (const piece of piecesOf(name)) if (!isClean(piece)) return false
    return true
  }

  async function file(from: string, to: string): Promise<number> {
    if (await isCleanFile(from)) return 0
    let found = 0
    const target = await open(to, 'w', 0o600)
    try {
      for await (const piece of piecesOf(from)) {
        const masked = await mask(piece)
        found += masked.found
        await target.write(masked.text)
      }
    } finally {
      await target.close()
    }
    return found
  }
}

/** In one go: a dozen turns of the loop take longer than all of its text. */
function shortText(file: string): string | undefined {
  return statSync(file).size <= SHORT_FILE ? readFileSync(file, 'utf8') : undefined
}

async function* piecesOf(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: PIECE })) {
    rest += chunk
    while (rest.length > PIECE) {
      const end = pieceEnd(rest)
      yield rest.slice(0, end)
      rest = rest.slice(end)
    }
  }
  if (rest.length > 0) yield rest
}

/** Farther back nothing is looked for. */
const NEAR = 4096
/** From the last character on that ends a word and is in no secret, no address and no escape. */
const LAST_WORD = /["'`,(){}\]<>|][^"'`,(){}\]<>|]*$/

/** After a line where there is one, and not within a private key; nowhere else if a word can be left whole. */
function pieceEnd(text: string): number {
  if (text.length <= PIECE) return text.length
  const piece = text.slice(0, PIECE)
  const begin = piece.lastIndexOf('-----BEGIN ')
  if (begin > PIECE - LONGEST_KEY && !piece.includes('-----END', begin)) return begin
  for (const [between, closest] of [
    ['\n', 1],
    [' ', PIECE - NEAR],
  ] as const) {
    const at = piece.lastIndexOf(between)
    if (at >= closest) return at + 1
  }
  const wordAt = piece.slice(-NEAR).search(LAST_WORD)
  if (wordAt >= 0) return PIECE - NEAR + wordAt + 1
  return isInside(text, PIECE) ? PIECE - 1 : PIECE
}

type Mark = typeof markFor

const markWithLines: Mark = (kind, secret) => markFor(kind, secret) + '\n'.repeat(secret.split('\n').length - 1)

function maskPiece(piece: string, own: readonly OwnSecret[], detect: Detector, mark: Mark): Masked {
  let text = piece
  let found = 0
  for (let round = 0; round < ROUNDS; round++) {
    const secrets = merged(text, findIn(text, own, detect))
    if (secrets.length === 0) break
    found += secrets.length
    text = replaced(text, secrets, mark)
  }
  return { text, found }
}

function findIn(text: string, own: readonly OwnSecret[], detect: Detector): Found[] {
  const visible = withoutMarks(text)
  const found = findOwn(own, visible)
  for (const view of new Set([visible, unescaped(visible)])) {
    found.push(...findPatterns(view))
    found.push(...detect(blanked(view, found)))
  }
  return found
}

/**
 * A colour, as a terminal gets it or as JSON and shells write it; a character of a URL; an escape of JSON. Backslashes are looked at from
 * the first of them on: from each of many thousands, that took half a minute.
 */
const ESCAPE =
  /(?:\p{Cc}|(?<!\\)\\+(?:u001b|x1b|033|e))\[[\d;:?]{0,40}[mk]|%[\da-f]{2}|(?<!\\)\\+(?:u[\da-f]{4}|[nrtbf"'/]|$)/giu

/** What it says where it is read, in as many characters: a secret behind an escape begins a word there. */
function unescaped(text: string): string {
  if (!['\\', '%', '\u001b'].some((beginning) => text.includes(beginning))) return text
  return text.replace(ESCAPE, (sequence) => ' '.repeat(sequence.length))
}
