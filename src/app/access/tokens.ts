// Makes, lists, checks and revokes the tokens with which people and programs call the HTTP service.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import {
  type AccessToken,
  createTokenText,
  hashToken,
  parseLifetime,
  parseTokenId,
  Role,
  TokenName,
  tokenState,
} from '../../domain/access/access-token.ts'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { AppContext } from '../context.ts'

export { mayAct } from '../../domain/access/access-token.ts'

const HOUR_MS = 3_600_000

export interface TokenRequest {
  readonly name: string
  readonly role: string
  /** As 90d, 12h, 30m or never. */
  readonly expires: string
}

export interface TokenOverview extends Omit<AccessToken, 'hash'> {
  readonly state: 'valid' | 'expired' | 'revoked'
}

export interface CreatedToken {
  readonly token: TokenOverview
  /** Nobody can read it again. */
  readonly text: string
}

export async function createToken(
  { store, sender }: Pick<AppContext, 'store' | 'sender'>,
  { name, role, expires }: TokenRequest,
): Promise<CreatedToken> {
  const lifetime = parseLifetime(expires)
  const problems = [
    TokenName.safeParse(name).success ? [] : `the name must be ${TokenName.description}`,
    Role.safeParse(role).success ? [] : `the role must be one of ${Role.options.join(', ')}`,
    lifetime === undefined
      ? 'the time until it expires must be like 90d, 12h or 30m, of at most ten years, or never'
      : [],
  ].flat()
  if (problems.length > 0) throw new FixwrightError('bad_input', problems.join('; '))
  const text = createTokenText(randomBytes)
  const now = new Date()
  const token: AccessToken = {
    token_id: parseTokenId(text) ?? '',
    name,
    role: Role.parse(role),
    hash: hashToken(text),
    created_by: sender.by,
    created_at: now.toISOString(),
    ...(Number.isFinite(lifetime) ? { expires_at: new Date(now.getTime() + (lifetime ?? 0)).toISOString() } : {}),
  }
  await store.tokens.add(token)
  return { token: toOverview(token), text }
}

export async function listTokens({ store }: Pick<AppContext, 'store'>): Promise<readonly TokenOverview[]> {
  return (await store.tokens.list()).map(toOverview)
}

export async function revokeToken({ store }: Pick<AppContext, 'store'>, tokenId: string): Promise<TokenOverview> {
  await store.tokens.revoke(tokenId, new Date().toISOString())
  const token = await store.tokens.get(tokenId)
  if (token !== undefined) return toOverview(token)
  throw new FixwrightError('token_not_found', `there is no token ${tokenId}; "fixwright token list" shows them`)
}

/** Undefined unless the text is a token of this home that has neither expired nor been revoked. */
export async function authenticateToken(
  { store }: Pick<AppContext, 'store'>,
  text: string,
): Promise<AccessToken | undefined> {
  const id = parseTokenId(text)
  const token = id === undefined ? undefined : await store.tokens.get(id)
  if (token === undefined || !timingSafeEqual(Buffer.from(token.hash), Buffer.from(hashToken(text)))) return undefined
  const now = new Date()
  if (tokenState(token, now) !== 'valid') return undefined
  const last = token.last_used_at === undefined ? 0 : Date.parse(token.last_used_at)
  if (now.getTime() - last >= HOUR_MS) await store.tokens.noteUse(token.token_id, now.toISOString())
  return token
}

/** Whether a token that was authenticated still counts. */
export async function isTokenValid({ store }: Pick<AppContext, 'store'>, tokenId: string): Promise<boolean> {
  const token = await store.tokens.get(tokenId)
  return token !== undefined && tokenState(token, new Date()) === 'valid'
}

function toOverview({ hash: _, ...token }: AccessToken): TokenOverview {
  return { ...token, state: tokenState(token as AccessToken, new Date()) }
}
