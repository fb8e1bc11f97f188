// What a process costs, read from the kernel.
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Garbage is collected when there is time for it: until the memory no longer falls. */
export async function untilResidentIsSettled(pid: number): Promise<void> {
  for (let before = Infinity, now = readResidentKb(pid); now < before; now = readResidentKb(pid)) {
    before = now
    await delay(2_000)
  }
}

export function readResidentKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

export function readCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
