// Tokens of the HTTP service: what they may do, how they are written, and when they count.
// A token is `fxw_<id>_<secret>`. Its 43 letters of 62 are 256 random bits, so a plain SHA-256 of it is safe at rest.
import { createHash } from 'node:crypto'
import { z } from 'zod'

/** Each role may do what the ones before it may. */
export const Role = z.enum(['viewer', 'operator', 'admin'])
export type Role = z.infer<typeof Role>

export const TokenName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,79}$/)
  .describe('1 to 80 letters, digits, spaces, and . _ @ - between them')

export const AccessToken = z.object({
  token_id: z.string(),
  name: z.string(),
  role: Role,
  hash: z.string(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  /** Absent if it never expires. */
  expires_at: z.iso.datetime().optional(),
  revoked_at: z.iso.datetime().optional(),
  /** To the hour. */
  last_used_at: z.iso.datetime().optional(),
})
export type AccessToken = z.infer<typeof AccessToken>

/** A request that changed something or was refused by the gate. */
export const AuditRecord = z.object({
  request_id: z.string(),
  at: z.iso.datetime(),
  /** Absent where no token was presented, or none that counts. */
  token_id: z.string().optional(),
  by: z.string().optional(),
  address: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.number().int(),
})
export type AuditRecord = z.infer<typeof AuditRecord>

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 10
const SECRET_LENGTH = 43
const TOKEN = new RegExp(`^fxw_([0-9A-Za-z]{${ID_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH}}$`)

/** `random` returns uniformly distributed bytes. */
export function createTokenText(random: (bytes: number) => Uint8Array): string {
  return `fxw_${toLetters(random, ID_LENGTH)}_${toLetters(random, SECRET_LENGTH)}`
}

/** Undefined if the text has not the form of a token. */
export function parseTokenId(text: string): string | undefined {
  return TOKEN.exec(text)?.[1]
}

export function hashToken(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function mayAct(role: Role, needed: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(needed)
}

export function tokenState({ expires_at, revoked_at }: AccessToken, now: Date): 'valid' | 'expired' | 'revoked' {
  if (revoked_at !== undefined) return 'revoked'
  return expires_at !== undefined && Date.parse(expires_at) <= now.getTime() ? 'expired' : 'valid'
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const MAX_LIFETIME_MS = 3650 * UNITS.d

/** Milliseconds, `Infinity` for `never`, or undefined if the text is no time, as in 90d, 12h or 30m. */
export function parseLifetime(text: string): number | undefined {
  if (text === 'never') return Number.POSITIVE_INFINITY
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const lifetime = Number(count) * UNITS[unit as keyof typeof UNITS]
  return lifetime > 0 && lifetime <= MAX_LIFETIME_MS ? lifetime : undefined
}

/** Bytes that would make some letters more likely than others are left out. */
function toLetters(random: (bytes: number) => Uint8Array, length: number): string {
  const bound = 256 - (256 % ALPHABET.length)
  let text = ''
  while (text.length < length) {
    const fair = [...random(length)].filter((byte) => byte < bound)
    text += fair.map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
  }
  return text.slice(0, length)
}
