// One-use codes with which the person who runs `up` signs in to the documentation page: a code becomes a token of some hours.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { hashToken } from '../../domain/access/access-token.ts'
import { toTokenName } from '../../domain/access/token-name.ts'
import type { AppContext } from '../context.ts'
import { type CreatedToken, createToken } from './tokens.ts'

const VALID_MS = 5 * 60_000
const TOKEN_LIFETIME = '12h'

export interface LoginCodes {
  create(): string
  /** Undefined if there is no such code, or it was used, or is too old. */
  redeem(app: Pick<AppContext, 'store' | 'sender'>, code: string): Promise<CreatedToken | undefined>
}

/** Codes are kept in memory alone: they end with their process. */
export function createLoginCodes(now: () => number = Date.now): LoginCodes {
  let open: { readonly hash: string; readonly until: number }[] = []
  return {
    create() {
      const code = randomBytes(32).toString('base64url')
      open.push({ hash: hashToken(code), until: now() + VALID_MS })
      return code
    },
    async redeem(app, code) {
      open = open.filter(({ until }) => until > now())
      const hash = Buffer.from(hashToken(code))
      const found = open.find((each) => timingSafeEqual(Buffer.from(each.hash), hash))
      if (found === undefined) return undefined
      open = open.filter((each) => each !== found)
      // The person's own name: with another one they would be somebody else to what the terminal has started.
      return await createToken(app, { name: toTokenName(app.sender.by), role: 'admin', expires: TOKEN_LIFETIME })
    },
  }
}
