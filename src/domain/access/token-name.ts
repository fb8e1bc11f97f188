// How a user of the machine is called as a token. Apart from the tokens, as workflows compare people by it and can't load node:crypto.

/** A user may be called what a token may not. A name that a token may have stays as it is. */
export function toTokenName(user: string): string {
  const name = user.trim().replace(/[^A-Za-z0-9 ._@-]/g, '_')
  return (/^[A-Za-z0-9]/.test(name) ? name : `user ${name}`).slice(0, 80)
}
