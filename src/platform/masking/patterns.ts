// Patterns that the detector lacks: passwords in addresses, headers, web tokens, newer keys of the providers. Every pattern is
// bounded, so that no text makes it slow.

import { findPrivateKeys } from './private-keys.ts'
import type { SecretSpan } from './spans.ts'

interface Pattern {
  readonly kind: string
  /** The first group is the secret; without a group, the whole match is. */
  readonly pattern: RegExp
}

const PATTERNS: readonly Pattern[] = [
  { kind: 'web-token', pattern: /(?<![\w-])eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}/dg },
  {
    kind: 'aws-key-id',
    pattern: /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/dg,
  },
  { kind: 'fixwright-token', pattern: /(?<![A-Za-z0-9])fxw_[A-Za-z0-9]{10}_[A-Za-z0-9]{43}(?![A-Za-z0-9])/dg },
  { kind: 'webhook-secret', pattern: /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/]{32,88}={0,2}/dg },
  { kind: 'google-api-key', pattern: /(?<![\w-])AIza[\w-]{35}(?![\w-])/dg },
  { kind: 'google-oauth', pattern: /(?<![\w-])(?:ya29\.|GOCSPX-)[\w-]{20,2000}/dg },
  { kind: 'anthropic', pattern: /(?<![A-Za-z0-9])sk-ant-[a-z0-9]{2,12}-[\w-]{20,300}/dg },
  { kind: 'openai', pattern: /(?<![A-Za-z0-9])sk-(?:proj|svcacct|admin|or-v1)-[\w-]{20,300}/dg },
  { kind: 'openai', pattern: /(?<![\w-])sk-[A-Za-z0-9]{32,100}(?![\w-])/dg },
  { kind: 'url-password', pattern: /:\/\/[^\s/:@"'`<>]{0,200}:([^\s/@"'`<>]{3,200})@(?=[A-Za-z0-9[])/dg },
  {
    kind: 'authorization',
    pattern: /\bauthorization["']{0,2}\s{0,4}[:=,]\s{0,4}["'`]?(?:bearer|basic|token)\s{1,4}([\w.~+/=-]{16,4000})/dgi,
  },
]

/** Stands for a password in documents and templates. */
const PLACEHOLDER = /^(?:[$%{(*[].*|.*\$\{.*|pass(?:word|wd)?|secret|token|changeme|x{3,})$/i

export function findPatterns(text: string): SecretSpan[] {
  const found = PATTERNS.flatMap(({ kind, pattern }) =>
    [...text.matchAll(pattern)].flatMap((match): SecretSpan[] => {
      const [start, end] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0]
      return PLACEHOLDER.test(text.slice(start, end)) ? [] : [{ start, end, kind }]
    }),
  )
  return [...found, ...findPrivateKeys(text)]
}

/** Matches more than all patterns and the detector together, and is cheap: a text without a match needs no closer look. */
const SUSPICIOUS = new RegExp(
  [
    // Beginnings of what the detector finds.
    /(?:SECRET|secret|Secret)_?(?:ACCESS|access|Access)_?(?:KEY|key|Key)/,
    /PRIVATE KEY|x-oauth-basic|_authToken=|npm_\w{36}|xox[a-z]-|xapp-|SG\.\w{2}|shp(?:pa|ca|at|ss)_|[sr]k_(?:live|test)_/,
    /[Hh][Oo][Oo][Kk][Ss]\.[Ss][Ll][Aa][Cc][Kk]\./,
    /gh[pousr]_\w{2}|github_pat_|glpat-|glc_\w{8}|glsa_\w{8}|gsk_\w{8}|hf_[a-zA-Z]{34}|lin_api_|ntn_\d{8}|ops_ey|hv[sbr]\.[\w-]{20}/,
    /vc[piark]_\w{20}|dapi[A-Fa-f0-9]{32}|dckr_pat_|figd_|cf(?:k|ut|at)_\w{20}|tskey-|:\/\/[^\s/]{1,310}@/,
    // Beginnings of what our patterns find.
    /fxw_\w{10}_|whsec_|eyJ[\w-]{10}|A(?:3T[A-Z0-9]|KIA|GPA|IDA|ROA|IPA|NPA|NVA|SIA)[A-Z0-9]{16}|AIza[\w-]{8}|ya29\.|GOCSPX-/,
    /sk-(?:ant|proj|svcacct|admin|or-v1)-|sk-[A-Za-z0-9]{20}/,
    /[Aa](?:uthorization|UTHORIZATION)\W{1,12}(?:[Bb]earer|[Bb]asic|[Tt]oken|BEARER|BASIC|TOKEN)/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

export function isSuspicious(text: string): boolean {
  return SUSPICIOUS.test(text)
}
