// CPU time of the whole machine: both sides start processes that outlive each other's bookkeeping, and nothing else runs.
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

const TICK_MS = 10

export function busyCpuMs(): number {
  if (process.platform !== 'linux') {
    return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
  }
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]!
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softirq) * TICK_MS
}
