// Masks secrets in every text that we write: the operator's own, and anything that looks like one. Trees are never masked. Gap:
// secrets of no known form (a password in prose) are not recognised; docs/security.md has the list.
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
  readonly secretCount: number
}

export interface Masking {
  maskAndCount(text: string): Promise<MaskedText>
  maskText(text: string): Promise<string>
  /** Keeps the number of lines even if a secret spans several: for texts of which lines are cut out later. */
  maskKeepingLines(text: string): Promise<string>
  /** Masks all strings in a JSON value. Returns the same value if it holds no secret. */
  maskValues<T>(value: T): Promise<T>
  /** Writes a masked copy if the file holds secrets. Returns their number. */
  maskFile(from: string, to: string): Promise<number>
  /** A placeholder for each secret in it, which is the same for the same secret. */
  listSecrets(text: string): Promise<readonly string[]>
  /** Whether nothing in it even looks like a secret. This is cheap. */
  isClean(text: string): boolean
}

const PIECE_LENGTH = 1 << 16
const MAX_SHORT_FILE = 1 << 20
/** The rest of a masked text may look like a secret again. A text that never stops doing so was made for that. */
const MAX_ROUNDS = 4

/** `named`: variables whose values are secret whatever their names say. */
export function createMasking(
  environment: Readonly<Record<string, string | undefined>>,
  named: readonly string[] = [],
): Masking {
  const own = collectEnvironmentSecrets(environment, named)
  return {
    maskAndCount: (all) => mask(all),
    maskText: text,
    maskKeepingLines: lines,
    maskValues: values,
    maskFile: file,
    listSecrets,
    isClean,
  }

  function isClean(all: string): boolean {
    return !isSuspicious(all) && !own.some((secret) => all.includes(secret.text))
  }

  // A long text is masked in pieces, so that nothing else waits for it.
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

  async function listSecrets(all: string): Promise<readonly string[]> {
    const found = new Set<string>()
    await mask(all, (kind, secret) => {
      const placeholder = createPlaceholder(kind, secret)
      found.add(placeholder)
      return placeholder
    })
    return [...found]
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

/** Reads a short file in one go: a dozen turns of the event loop take longer than its whole text. */
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

/** How far back a place to cut is looked for. */
const MAX_LOOK_BACK = 4096
/** Matches from the last character that ends a word and is part of no secret, address or escape. */
const LAST_WORD_BREAK = /["'`,(){}\]<>|][^"'`,(){}\]<>|]*$/

/** Cuts after a line if there is one, and not within a private key; otherwise between words if possible. */
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
 * A colour (raw, or as JSON and shells write it), an encoded character of a URL, or an escape of JSON. Backslashes are matched
 * only from the first of a run on: starting at each of many thousands took half a minute.
 */
const ESCAPE =
  /(?:\p{Cc}|(?<!\\)\\+(?:u001b|x1b|033|e))\[[\d;:?]{0,40}[mk]|%[\da-f]{2}|(?<!\\)\\+(?:u[\da-f]{4}|[nrtbf"'/]|$)/giu

/** Replaces escapes by as many spaces, since a secret behind an escape begins a word for its reader. */
function blankEscapes(text: string): string {
  if (!['\\', '%', '\u001b'].some((beginning) => text.includes(beginning))) return text
  return text.replace(ESCAPE, (sequence) => ' '.repeat(sequence.length))
}
