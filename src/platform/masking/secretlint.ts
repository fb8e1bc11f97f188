// Secretlint's rules, asked directly: what they need around them is less than its core brings along, which also profiles every
// run and leaves out what a comment in the text tells it to. Loaded when the first suspicious text comes by, for it takes a while.
import { everyPlaceOf, type Found } from './spans.ts'

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

export type Detector = (text: string) => Found[]

let loading: Promise<Detector> | undefined

export function loadDetector(): Promise<Detector> {
  loading ??= import('@secretlint/secretlint-rule-preset-recommend').then(({ rules }) =>
    detectorOf(rules as unknown as Rule[]),
  )
  return loading
}

/** They only look for words of theirs that leave things out. */
const NO_SCANNER = /filter-comments$/

function detectorOf(rules: readonly Rule[]): Detector {
  let secrets = new Map<string, string>()
  const scanners = rules
    .filter(({ meta }) => !NO_SCANNER.test(meta.id))
    .map(({ meta, create }) => {
      const kind = meta.id.replace(/^.*secretlint-rule-/, '')
      return create(
        {
          createTranslator:
            () =>
            (_, data = {}) =>
              data,
          report: ({ message }) => {
            const secret = secretIn(message)
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
    return [...secrets].flatMap(([secret, kind]) => everyPlaceOf(content, secret, kind))
  }
}

const NAMES = ['KEY', 'TOKEN', 'CREDENTIAL', 'URI', 'URL', 'SECRET', 'PASSWORD', 'ID']
const SHORTEST = 8

/** Up to where it can't go on: a rule that takes the rest of the line would take what follows along. */
function secretIn(message: Data): string | undefined {
  const named = NAMES.map((name) => message[name]).find((value) => typeof value === 'string')
  const all = named ?? Object.values(message).find((value) => typeof value === 'string' && value.length >= 16)
  const secret = /^[^\s"'`<>\\,;]+/.exec(String(all ?? ''))?.[0] ?? ''
  return secret.length < SHORTEST ? undefined : secret
}
