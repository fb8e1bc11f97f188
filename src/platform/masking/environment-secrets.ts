// Finds the values of secret environment variables in a text, plain or as JSON or a URL would write them. Gap: values under eight
// characters, very common words, and values in another encoding (base64, say) are not recognised.
import { existsSync } from 'node:fs'
import { findOccurrences, type SecretSpan } from './spans.ts'

export interface EnvironmentSecret {
  readonly kind: string
  readonly text: string
}

/** Matches one word of a variable's name. A purpose may be written in one with it, as in PGPASSWORD. */
const SECRET_WORD =
  /^(?:KEYS?|PAT|.*(?:(?:API|ACCESS|SECRET|PRIVATE)KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)S?|.*(?:PASSWD|PASSPHRASE|PWD|(?<!^BY|^COM|^ASK)PASS))\d{0,3}$/
/** AUTH counts only at the end: in AUTH_URL and SSH_AUTH_SOCK it says what the value is for. */
const SECRET_END = /(?:^|_)AUTH(?:_CONFIG)?$/
const FOLDERS = new Set(['PWD', 'OLDPWD'])
const MIN_SECRET_LENGTH = 8
/** Published default passwords and common words of settings about signing in: nobody's secret, and in many texts and paths. */
const COMMON_VALUES = new Set(
  (
    'anonymous changeit changeme development disabled firebase keycloak localhost minioadmin optional password postgres ' +
    'postgresql production rabbitmq required supabase username'
  ).split(' '),
)

/** Drivers print it without the address around it. */
const URL_PASSWORD = /^[a-z][\w+.-]*:\/\/[^/:@\s]*:([^@\s]+)@/i

/** `named`: variables that are secret whatever their names say. */
export function collectEnvironmentSecrets(
  environment: Readonly<Record<string, string | undefined>>,
  named: readonly string[] = [],
): readonly EnvironmentSecret[] {
  const secrets = Object.entries(environment).flatMap(([name, value = '']): EnvironmentSecret[] => {
    const text = value.trim()
    if (
      text.length < MIN_SECRET_LENGTH ||
      COMMON_VALUES.has(text.toLowerCase()) ||
      !(isSecretName(name) || named.includes(name)) ||
      isExistingPath(text)
    )
      return []
    const kind = `env-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`.slice(0, 60).replace(/-$/, '')
    const [, password = ''] = URL_PASSWORD.exec(text) ?? []
    const texts = password.length < MIN_SECRET_LENGTH ? [text] : [text, password]
    const forms = new Set(texts.flatMap((each) => [each, JSON.stringify(each).slice(1, -1), encodeForUrl(each)]))
    return [...forms].map((form) => ({ kind, text: form }))
  })
  return secrets.sort((one, other) => other.text.length - one.text.length)
}

export function withoutSecretVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isSecretName(name)))
}

export function findEnvironmentSecrets(secrets: readonly EnvironmentSecret[], text: string): SecretSpan[] {
  return secrets.flatMap(({ kind, text: secret }) => findOccurrences(text, secret, kind))
}

function isSecretName(name: string): boolean {
  if (FOLDERS.has(name)) return false
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
  return words.some((word) => SECRET_WORD.test(word)) || SECRET_END.test(words.join('_'))
}

/** A path says where a secret is, and is none. */
function isExistingPath(value: string): boolean {
  return /^[/~.]/.test(value) && existsSync(value)
}

function encodeForUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}
