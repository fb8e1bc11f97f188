import { setTimeout as delay } from 'node:timers/promises'

/** Below the time limit of a test, so that a wait that fails names what it waited for. It is no claim about how long that takes. */
const WAIT_MS = 100_000

export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MS
  // Many conditions read a database or the process table, so the pauses grow and leave the machine to what is waited for.
  for (let pause = 5; !(await condition()); pause = Math.min(pause * 1.2, 40)) {
    if (performance.now() > deadline) throw new Error(`Still not so after ${WAIT_MS / 1000} s: ${what}`)
    await delay(pause)
  }
}
