// Runs Secretlint's rules directly: its core would profile every run and heed comments in the text that leave things out. The
// rules are loaded for the first suspicious text, as loading takes a while.
import { findOccurrences, type SecretSpan } from './spans.ts'

/** The part of Secretlint's rule interface that is needed here. */
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

/** These rules only look for comments that leave things out. */
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
    // Secrets are located by their text: some rules report a range beside what they found.
    return [...secrets].flatMap(([secret, kind]) => findOccurrences(content, secret, kind))
  }
}

const SECRET_FIELDS = ['KEY', 'TOKEN', 'CREDENTIAL', 'URI', 'URL', 'SECRET', 'PASSWORD', 'ID']
const MIN_SECRET_LENGTH = 8

/** Ends at the first character that no secret holds: some rules take the rest of the line along. */
function extractSecret(message: Data): string | undefined {
  const named = SECRET_FIELDS.map((name) => message[name]).find((value) => typeof value === 'string')
  const all = named ?? Object.values(message).find((value) => typeof value === 'string' && value.length >= 16)
  const secret = /^[^\s"'`<>\\,;]+/.exec(String(all ?? ''))?.[0] ?? ''
  return secret.length < MIN_SECRET_LENGTH ? undefined : secret
}
