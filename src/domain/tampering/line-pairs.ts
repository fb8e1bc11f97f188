// What two lines say together: an error that is caught and dropped, a test that is left at once, an item of a list.

import { parseTestName } from './assertions.ts'
import { MAX_READABLE_LENGTH, type TamperingKind } from './patterns.ts'
import type { Hunk } from './unified-diff.ts'

export interface TamperingMatch {
  readonly kind: TamperingKind
  /** What makes it the same as before. */
  readonly mark: string
  /** Its first and its last line, of this side. */
  readonly lines: readonly [number, number]
}

const SWALLOWED: readonly RegExp[] = [
  /\bexcept\b[^:#]*:\s*(?:pass|\.\.\.|continue)\s*(?:#.*)?$/,
  /\bcatch\s*(?:\([^)]*\))?\s*\{\s*(?:\/\/.*|\/\*.*\*\/\s*)?\}/,
  /\.catch\(\s*(?:noop|\(?\s*\w*\s*\)?\s*=>\s*(?:\{\s*\}|null|undefined|void 0|false))/,
  /\bif\s+err\s*!=\s*nil\s*\{\s*\}/,
  /\brescue\s+(?:nil|false)\b|\bsuppress\(\s*(?:Base)?Exception|\bOn Error Resume Next\b/i,
]
const SWALLOWED_BELOW: readonly (readonly [opens: RegExp, closes: RegExp])[] = [
  [/^\s*except\b.*:\s*(?:#.*)?$/, /^\s*(?:pass|\.\.\.|continue)\s*(?:#.*)?$/],
  [/\bcatch\b[^{]*\{\s*(?:\/\/.*)?$|\bif\s+err\s*!=\s*nil\s*\{\s*$/, /^\s*\}/],
  [/^\s*rescue\b.*$/, /^\s*(?:end|nil|ensure)\b/],
]

/** An error that is caught and dropped, in one line or in the first below it that says anything. */
export function findSwallowedErrors(side: Hunk): TamperingMatch[] {
  return side.flatMap(({ text }, at): TamperingMatch[] => {
    if (text.length > MAX_READABLE_LENGTH) return []
    const mark = text.trim()
    if (SWALLOWED.some((pattern) => pattern.test(text))) return [{ kind: 'swallowed_error', mark, lines: [at, at] }]
    const pair = SWALLOWED_BELOW.find(([opens]) => opens.test(text))
    if (!pair) return []
    const below = findNextLine(side, at)
    if (!pair[1].test(side[below]?.text ?? '')) return []
    return [{ kind: 'swallowed_error', mark, lines: [at, below] }]
  })
}

/** A test that is left at once. */
export function findEmptiedTests(side: Hunk): TamperingMatch[] {
  return side.flatMap(({ text }, at): TamperingMatch[] => {
    const name = text.length > MAX_READABLE_LENGTH ? undefined : parseTestName(text)
    if (name === undefined) return []
    const below = findNextLine(side, at)
    return /^\s*return\b\s*;?\s*$/.test(side[below]?.text ?? '')
      ? [{ kind: 'skipped_test', mark: name, lines: [at, below] }]
      : []
  })
}

/** In a list that the first line begins. */
export function findListItems(side: Hunk, opens: RegExp): TamperingMatch[] {
  const items: TamperingMatch[] = []
  let inList = false
  for (const [at, { text }] of side.entries()) {
    if (text.length > MAX_READABLE_LENGTH) continue
    if (inList && /^\s*(?:[\])}]|$|\[|\w[\w-]*\s*[:=])/.test(text)) inList = false
    if (inList) items.push({ kind: 'lowered_bar', mark: text.trim().replace(/,$/, ''), lines: [at, at] })
    if (opens.test(text)) inList = true
  }
  return items
}

/** The next line that says anything. */
function findNextLine(side: Hunk, at: number): number {
  let below = at + 1
  while (below < side.length && /^\s*(?:$|\/\/|#|\/\*|\*)/.test(side[below]?.text ?? '')) below += 1
  return below
}
