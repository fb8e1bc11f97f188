// Who is at this machine, as messages say it where nobody says otherwise.
import { hostname, userInfo } from 'node:os'

export function getLocalUser(): string {
  try {
    return userInfo().username
  } catch {
    // A user id without an entry, as containers have it.
    return process.env.USER ?? `user ${process.getuid?.() ?? 'unknown'}`
  }
}

export function describeScriptHost(): string {
  return `script on ${hostname()}`
}
