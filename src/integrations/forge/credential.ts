// Finds the credential for a host, each time anew, so that one that is renewed or withdrawn counts at once. It belongs to one host and
// goes to no other. Its value is returned to who calls GitHub or git, and written nowhere.
import { readFile } from 'node:fs/promises'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { PUBLIC_GITHUB } from '../../domain/forge/forge-address.ts'
import type { ForgeSettings } from '../../domain/settings/forge-settings.ts'

export type CredentialSource =
  | { readonly kind: 'token'; readonly token: string; readonly from: string }
  | { readonly kind: 'app'; readonly appId: number; readonly privateKey: string; readonly from: string }

type Environment = Readonly<Record<string, string | undefined>>

/** By which an adapter finds its credential, when it needs one. */
export interface ForgeAccess {
  readonly settings: ForgeSettings
  readonly env: Environment
}

const PUBLIC_VARIABLES = ['GH_TOKEN', 'GITHUB_TOKEN']
const WEBHOOK_SECRET_VARIABLE = 'FIXWRIGHT_GITHUB_WEBHOOK_SECRET'
const ENTERPRISE_VARIABLES = ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN']

/** Undefined if nobody gave one. */
export async function findCredential(settings: ForgeSettings, env: Environment): Promise<CredentialSource | undefined> {
  const { host, app_id: appId, app_key_file: keyFile, token_file: tokenFile } = settings
  if (appId !== null && keyFile !== null) {
    return { kind: 'app', appId, privateKey: await readSecret(keyFile, 'github.app_key_file'), from: `App ${appId}` }
  }
  if (tokenFile !== null) {
    return { kind: 'token', token: await readSecret(tokenFile, 'github.token_file'), from: 'github.token_file' }
  }
  const name = listTokenVariables(host).find((each) => env[each])
  return name === undefined ? undefined : { kind: 'token', token: env[name] ?? '', from: name }
}

/** As GitHub's own command line takes them: a server of one's own has variables of its own. */
export function listTokenVariables(host: string): readonly string[] {
  return host === PUBLIC_GITHUB || host.endsWith('.ghe.com') ? PUBLIC_VARIABLES : ENTERPRISE_VARIABLES
}

/** The secret with which GitHub signs its deliveries. Undefined if nobody gave one. */
export async function findWebhookSecret(
  { webhook_secret_file: file }: Pick<ForgeSettings, 'webhook_secret_file'>,
  env: Environment,
): Promise<{ readonly secret: string; readonly from: string } | undefined> {
  if (file !== null) return { secret: await readSecret(file, 'github.webhook_secret_file'), from: file }
  const secret = env[WEBHOOK_SECRET_VARIABLE]?.trim()
  return secret ? { secret, from: WEBHOOK_SECRET_VARIABLE } : undefined
}

async function readSecret(path: string, setting: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new FixwrightError('forge_not_signed_in', `${setting} names ${path}, which can't be read (${error.code})`)
  })
  if (text.trim() === '') throw new FixwrightError('forge_not_signed_in', `${setting} names ${path}, which is empty`)
  return text.trim()
}
