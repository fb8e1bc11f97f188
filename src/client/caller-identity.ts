// The user and the host that sign a message unless its sender names others.
import { hostname, userInfo } from 'node:os'

export function getLocalUser(): string {
  try {
    return userInfo().username
  } catch {
    // In containers a user id often has no passwd entry.
    return process.env.USER ?? `user ${process.getuid?.() ?? 'unknown'}`
  }
}

export function describeScriptHost(): string {
  return `script on ${hostname()}`
}
