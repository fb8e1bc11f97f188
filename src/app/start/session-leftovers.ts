// Finds what a session still has on this machine: processes with its marker, and its folder.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findMarkedProcesses } from '../../platform/processes/marked-processes.ts'
import type { Home } from '../../runtime/home/home.ts'

type Sessions = Pick<Home, 'sessions'>

export function hasSessionProcesses(sessionId: string): boolean {
  return findMarkedProcesses(sessionId).length > 0
}

export function describeLeftovers({ sessions }: Sessions, sessionId: string): string | undefined {
  const processes = findMarkedProcesses(sessionId).map(({ identity }) => identity.pid)
  if (processes.length > 0) return `still has processes: ${processes.join(', ')}`
  const folder = join(sessions, sessionId)
  return existsSync(folder) ? `still has its folder ${folder}` : undefined
}

/** Returns false if the condition still holds after `waitMs`. */
export async function waitUntilFalse(isSo: () => boolean, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs
  while (isSo()) {
    if (performance.now() > deadline) return false
    await delay(50)
  }
  return true
}
