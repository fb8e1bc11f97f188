// How a user of the machine is called as a token. Apart from the tokens, as workflows compare people by it and can't load node:crypto.

const MAX_CHARACTERS = 80

/**
 * A user may be called what a token may not. A name that a token may have stays as it is; another one ends in digits of the whole name, as
 * two users may differ in nothing else.
 */
export function toTokenName(user: string): string {
  const whole = user.trim().normalize('NFC')
  const allowed = whole.replace(/[^A-Za-z0-9 ._@-]/gu, '_')
  const name = /^[A-Za-z0-9]/.test(allowed) ? allowed : `user ${allowed}`
  if (allowed === whole && name.length <= MAX_CHARACTERS) return name
  const digits = hashName(whole.toLowerCase())
  return `${name.slice(0, MAX_CHARACTERS - digits.length - 1)}-${digits}`
}

/** 32 bits by FNV-1a: users of one machine don't choose their names to collide. */
function hashName(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash.toString(16).padStart(8, '0')
}
