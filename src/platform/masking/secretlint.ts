// Secretlint's rules, asked directly: what they need around them is less than its core brings along, which also profiles every
// run and leaves out what a comment in the text tells it to. Loaded when the first suspicious text comes by, for it takes a while.
import { findOccurrences, type SecretSpan } from './spans.ts'

/** The part of its interface of rules that matters here. */
interface Rule {
  readonly meta: { readonly id: string }
  readonly create: (context: Context, options: object) => { readonly file?: (source: Source) => unknown }
}

interface Context {
  readonly createTranslator: () => (id: string, data?: Data) => Data
  readonly report: (problem: { readonly message: Data }) => void
}

type Data = Readonly<Record<string, unknown>>

interface Source {
  readonly content: string
  readonly contentType: 'text'
  readonly filePath: string
  readonly ext: string
}

export type Detector = (text: string) => SecretSpan[]

let loadedDetector: Promise<Detector> | undefined

export function loadDetector(): Promise<Detector> {
  loadedDetector ??= import('@secretlint/secretlint-rule-preset-recommend').then(({ rules }) =>
    createDetector(rules as unknown as Rule[]),
  )
  return loadedDetector
}

/** They only look for words of theirs that leave things out. */
const COMMENT_FILTER_RULE = /filter-comments$/

function createDetector(rules: readonly Rule[]): Detector {
  let secrets = new Map<string, string>()
  const scanners = rules
    .filter(({ meta }) => !COMMENT_FILTER_RULE.test(meta.id))
    .map(({ meta, create }) => {
      const kind = meta.id.replace(/^.*secretlint-rule-/, '')
      return create(
        {
          createTranslator:
            () =>
            (_, data = {}) =>
              data,
          report: ({ message }) => {
            const secret = extractSecret(message)
            if (secret !== undefined) secrets.set(secret, kind)
          },
        },
        {},
      )
    })
  return (content) => {
    secrets = new Map()
    for (const scanner of scanners) scanner.file?.({ content, contentType: 'text', filePath: 'text.txt', ext: '.txt' })
    // By their words and not by their places: those of some rules point beside what they found.
    return [...secrets].flatMap(([secret, kind]) => findOccurrences(content, secret, kind))
  }
}

const SECRET_FIELDS = ['KEY', 'TOKEN', 'CREDENTIAL', 'URI', 'URL', 'SECRET', 'PASSWORD', 'ID']
const MIN_SECRET_LENGTH = 8

/** Up to where it can't go on: a rule that takes the rest of the line would take what follows along. */
function extractSecret(message: Data): string | undefined {
  const named = SECRET_FIELDS.map((name) => message[name]).find((value) => typeof value === 'string')
  const all = named ?? Object.values(message).find((value) => typeof value === 'string' && value.length >= 16)
  const secret = /^[^\s"'`<>\\,;]+/.exec(String(all ?? ''))?.[0] ?? ''
  return secret.length < MIN_SECRET_LENGTH ? undefined : secret
}
