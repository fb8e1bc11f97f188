// Masks secrets in every text that we write: what is known to be the operator's own, and what looks like one. A text in which
// nothing looks like one costs a glance; a long one is looked at piece by piece, so that nothing else waits for it.
// Trees are never masked. Gap: what has no known form (a password in prose) is not recognised; docs/security.md has the list.
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { collectEnvironmentSecrets, type EnvironmentSecret, findEnvironmentSecrets } from './environment-secrets.ts'
import { findPatterns, isSuspicious } from './patterns.ts'
import { blankPlaceholders, createPlaceholder } from './placeholder.ts'
import { MAX_KEY_LENGTH } from './private-keys.ts'
import { type Detector, loadDetector } from './secretlint.ts'
import { blankSpans, mergeSpans, replaceSpans, type SecretSpan, splitsSurrogatePair } from './spans.ts'

export interface MaskedText {
  readonly text: string
  /** So many secrets were in it. */
  readonly secretCount: number
}

export interface Masking {
  maskAndCount(text: string): Promise<MaskedText>
  maskText(text: string): Promise<string>
  /** With as many lines as before, also where a secret reached over several: for a text of which a piece is to be cut out. */
  maskKeepingLines(text: string): Promise<string>
  /** All strings in a value of JSON; the same value where there is no secret in it. */
  maskValues<T>(value: T): Promise<T>
  /** Writes a copy without its secrets, where it holds any; answers with how many. */
  maskFile(from: string, to: string): Promise<number>
  /** Whether nothing in it even looks like a secret. */
  isClean(text: string): boolean
}

const PIECE_LENGTH = 1 << 16
const MAX_SHORT_FILE = 1 << 20
/** What masking left may come to look like a secret; a text that never settles was made for that. */
const MAX_ROUNDS = 4

export function createMasking(environment: Readonly<Record<string, string | undefined>>): Masking {
  const own = collectEnvironmentSecrets(environment)
  return {
    maskAndCount: (all) => mask(all),
    maskText: text,
    maskKeepingLines: lines,
    maskValues: values,
    maskFile: file,
    isClean,
  }

  function isClean(all: string): boolean {
    return !isSuspicious(all) && !own.some((secret) => all.includes(secret.text))
  }

  async function mask(all: string, mark: PlaceholderFactory = createPlaceholder): Promise<MaskedText> {
    if (all.length <= PIECE_LENGTH)
      return isClean(all) ? { text: all, secretCount: 0 } : maskPiece(all, own, await loadDetector(), mark)
    const parts: string[] = []
    let found = 0
    for (let rest = all; rest.length > 0; ) {
      const end = findPieceEnd(rest)
      const piece = await mask(rest.slice(0, end), mark)
      parts.push(piece.text)
      found += piece.secretCount
      rest = rest.slice(end)
      await setImmediate()
    }
    return found === 0 ? { text: all, secretCount: found } : { text: parts.join(''), secretCount: found }
  }

  async function text(all: string): Promise<string> {
    return (await mask(all)).text
  }

  async function lines(all: string): Promise<string> {
    return (await mask(all, placeholderWithLines)).text
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
    const short = readIfShort(name)
    if (short !== undefined) return isClean(short)
    for await (const piece of readPieces(name)) if (!isClean(piece)) return false
    return true
  }

  async function file(from: string, to: string): Promise<number> {
    if (await isCleanFile(from)) return 0
    let found = 0
    const target = await open(to, 'w', 0o600)
    try {
      for await (const piece of readPieces(from)) {
        const masked = await mask(piece)
        found += masked.secretCount
        await target.write(masked.text)
      }
    } finally {
      await target.close()
    }
    return found
  }
}

/** In one go: a dozen turns of the loop take longer than all of its text. */
function readIfShort(file: string): string | undefined {
  return statSync(file).size <= MAX_SHORT_FILE ? readFileSync(file, 'utf8') : undefined
}

async function* readPieces(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: PIECE_LENGTH })) {
    rest += chunk
    while (rest.length > PIECE_LENGTH) {
      const end = findPieceEnd(rest)
      yield rest.slice(0, end)
      rest = rest.slice(end)
    }
  }
  if (rest.length > 0) yield rest
}

/** Farther back nothing is looked for. */
const MAX_LOOK_BACK = 4096
/** From the last character on that ends a word and is in no secret, no address and no escape. */
const LAST_WORD_BREAK = /["'`,(){}\]<>|][^"'`,(){}\]<>|]*$/

/** After a line where there is one, and not within a private key; nowhere else if a word can be left whole. */
function findPieceEnd(text: string): number {
  if (text.length <= PIECE_LENGTH) return text.length
  const piece = text.slice(0, PIECE_LENGTH)
  const begin = piece.lastIndexOf('-----BEGIN ')
  if (begin > PIECE_LENGTH - MAX_KEY_LENGTH && !piece.includes('-----END', begin)) return begin
  for (const [between, closest] of [
    ['\n', 1],
    [' ', PIECE_LENGTH - MAX_LOOK_BACK],
  ] as const) {
    const at = piece.lastIndexOf(between)
    if (at >= closest) return at + 1
  }
  const wordAt = piece.slice(-MAX_LOOK_BACK).search(LAST_WORD_BREAK)
  if (wordAt >= 0) return PIECE_LENGTH - MAX_LOOK_BACK + wordAt + 1
  return splitsSurrogatePair(text, PIECE_LENGTH) ? PIECE_LENGTH - 1 : PIECE_LENGTH
}

type PlaceholderFactory = typeof createPlaceholder

const placeholderWithLines: PlaceholderFactory = (kind, secret) =>
  createPlaceholder(kind, secret) + '\n'.repeat(secret.split('\n').length - 1)

function maskPiece(
  piece: string,
  own: readonly EnvironmentSecret[],
  detect: Detector,
  mark: PlaceholderFactory,
): MaskedText {
  let text = piece
  let found = 0
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const secrets = mergeSpans(text, findSecrets(text, own, detect))
    if (secrets.length === 0) break
    found += secrets.length
    text = replaceSpans(text, secrets, mark)
  }
  return { text, secretCount: found }
}

function findSecrets(text: string, own: readonly EnvironmentSecret[], detect: Detector): SecretSpan[] {
  const visible = blankPlaceholders(text)
  const found = findEnvironmentSecrets(own, visible)
  for (const view of new Set([visible, blankEscapes(visible)])) {
    found.push(...findPatterns(view))
    found.push(...detect(blankSpans(view, found)))
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
function blankEscapes(text: string): string {
  if (!['\\', '%', '\u001b'].some((beginning) => text.includes(beginning))) return text
  return text.replace(ESCAPE, (sequence) => ' '.repeat(sequence.length))
}
