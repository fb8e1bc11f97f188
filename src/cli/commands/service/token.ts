// `fixwright token`: makes, lists and revokes the tokens of the HTTP service. A token's text is shown once.
import { writeFile } from 'node:fs/promises'
import {
  createToken,
  listTokens,
  revokeToken,
  type TokenOverview,
  type TokenRequest,
} from '../../../app/access/tokens.ts'
import { FixwrightError } from '../../../app/errors.ts'
import { describeWriteError } from '../../../app/format-values.ts'
import { withApp } from '../../session/with-app.ts'
import { paint, print, printJson, printNotice } from '../../terminal/console.ts'
import { formatAge, formatTable } from '../../terminal/table.ts'

export interface TokenCreateOptions extends TokenRequest {
  /** A new file that only its user can read gets the token; then it is not printed. */
  readonly file?: string | undefined
  readonly json: boolean
}

export async function runTokenCreateCommand({ file, json, ...request }: TokenCreateOptions): Promise<number> {
  return withApp(async (app) => {
    const { token, text } = await createToken(app, request)
    if (file !== undefined) {
      await writeFile(file, `${text}\n`, { mode: 0o600, flag: 'wx' }).catch(async (error: unknown) => {
        await revokeToken(app, token.token_id)
        throw new FixwrightError('file_unusable', `--file ${file} can't be made: ${describeWriteError(error)}`)
      })
    }
    if (json) printJson({ ...token, ...(file === undefined ? { token: text } : {}) })
    else if (file === undefined) print(text)
    const until = token.expires_at === undefined ? 'until it is revoked' : `until ${token.expires_at}`
    printNotice(`${token.role} token ${token.token_id} "${token.name}" counts ${until}`)
    printNotice(file === undefined ? 'it is shown only now: keep it where secrets are kept' : `it is in ${file}`)
    return 0
  })
}

export async function runTokenListCommand({ json }: { readonly json: boolean }): Promise<number> {
  return withApp(async (app) => {
    const tokens = await listTokens(app)
    if (json) printJson(tokens)
    else if (tokens.length === 0) printNotice('there is no token yet; "fixwright token create" makes one')
    else print(formatTable(tokens.map(toCells)))
    return 0
  })
}

export async function runTokenRevokeCommand(id: string, { json }: { readonly json: boolean }): Promise<number> {
  return withApp(async (app) => {
    const token = await revokeToken(app, id)
    if (json) printJson(token)
    else printNotice(`token ${token.token_id} "${token.name}" counts no more`)
    return 0
  })
}

function toCells({ token_id, role, state, name, created_at, expires_at, last_used_at }: TokenOverview): string[] {
  const used = last_used_at === undefined ? 'never used' : `used ${formatAge(last_used_at)}`
  const expires = expires_at === undefined ? 'does not expire' : `expires ${expires_at.slice(0, 10)}`
  const shown = paint(state === 'valid' ? 'green' : 'dim', state, process.stdout)
  return [token_id, role, shown, `made ${formatAge(created_at)}`, expires, used, name]
}
