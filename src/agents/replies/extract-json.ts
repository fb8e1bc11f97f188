// Finds JSON objects in a model's text in one pass: bare, fenced, or amid prose. Trailing commas and raw line breaks in strings are
// forgiven, and a bare word counts as a string: `95/100` is then no score, and costs nothing else.
// Gap: an object inside another one is not looked at, and one inside a broken one only if it begins after the break.

import { parseJsonIfValid } from '../../domain/text/parse-json.ts'
export interface JsonInText {
  readonly objects: readonly unknown[]
  readonly broken: { readonly cutOff: number; readonly notJson: number }
}

// Deeper than any reply. Deeper objects are dropped before a parser or a validator has to walk them.
const MAX_DEPTH = 100

const START = /\{(?=\s*")/g
const SPACE = /\s*/y
const WORD = /[^\s,:"{}[\]]+/y
const ATOM = /^(-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|true|false|null)$/

/** Finds objects with a wanted key at their top. Broken ones are counted: a whole quotation inside one must not pass for the reply. */
export function findJsonObjects(text: string, wanted: ReadonlySet<string>): JsonInText {
  const objects: unknown[] = []
  const broken = { cutOff: 0, notJson: 0 }
  START.lastIndex = 0
  for (let start = START.exec(text); start; start = START.exec(text)) {
    const scan = scanObject(text, start.index)
    START.lastIndex = scan.next
    if (!scan.keys.some((key) => wanted.has(key))) continue
    const object = scan.kind === 'closed' ? parseJsonIfValid(scan.tokens.join('')) : undefined
    if (object !== undefined) objects.push(object)
    else broken[scan.kind === 'cut off' ? 'cutOff' : 'notJson'] += 1
  }
  return { objects, broken }
}

interface Scan {
  readonly kind: 'closed' | 'cut off' | 'not JSON'
  readonly tokens: readonly string[]
  readonly keys: readonly string[]
  /** The place to search on from: after a break, inside the last string, whose opening quote may have been a closing one. */
  readonly next: number
}

function scanObject(text: string, start: number): Scan {
  const tokens: string[] = []
  const keys: string[] = []
  const open: ('{' | '[')[] = []
  let expects: 'value' | 'key' | 'colon' | 'comma' = 'value'
  let lastString = start
  let at = start
  const broke = (kind: Scan['kind'], next = lastString + 1): Scan => ({ kind, tokens, keys, next })

  while (true) {
    SPACE.lastIndex = at
    SPACE.test(text)
    at = SPACE.lastIndex
    const char = text[at]
    const container = open.at(-1)
    if (char === undefined) return broke('cut off')
    if (char === '"' && (expects === 'key' || expects === 'value')) {
      lastString = at
      at = findStringEnd(text, at)
      if (at > text.length) return broke('cut off')
      const string = text.slice(lastString, at)
      if (expects === 'key' && open.length === 1) keys.push(string.slice(1, -1))
      tokens.push(escapeControlCharacters(string))
      expects = expects === 'key' ? 'colon' : 'comma'
      continue
    }
    if (char === '}' || char === ']') {
      const begun = char === '}' ? container === '{' && expects === 'key' : container === '[' && expects === 'value'
      const done = container === (char === '}' ? '{' : '[') && expects === 'comma'
      if (!begun && !done) return broke('not JSON')
      if (tokens.at(-1) === ',') tokens.pop()
      open.pop()
      expects = 'comma'
    } else if (char === ',' && expects === 'comma') {
      expects = container === '{' ? 'key' : 'value'
    } else if (char === ':' && expects === 'colon') {
      expects = 'value'
    } else if ((char === '{' || char === '[') && expects === 'value') {
      if (open.length === MAX_DEPTH) return broke('not JSON', at)
      open.push(char)
      expects = char === '{' ? 'key' : 'value'
    } else {
      WORD.lastIndex = at
      const word = expects === 'value' ? WORD.exec(text)?.[0] : undefined
      if (word === undefined) return broke('not JSON')
      tokens.push(ATOM.test(word) ? word : JSON.stringify(word))
      at += word.length
      expects = 'comma'
      continue
    }
    tokens.push(char)
    at += 1
    if (open.length === 0) return { kind: 'closed', tokens, keys, next: at }
  }
}

/** The place after a string's closing quote; beyond the text if there is none. */
function findStringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') return at + 1
    if (char === '\\') at += 1
  }
  return text.length + 1
}

function escapeControlCharacters(string: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what JSON forbids in a string and models write there
  return string.replace(/[\u0000-\u001f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
