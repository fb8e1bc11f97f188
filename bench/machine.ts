// CPU time of all that a bench starts: both sides start processes that outlive each other's bookkeeping. A bench in a control group of its
// own counts that group; otherwise the whole machine counts, and nothing else may run on it.
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

const TICK_MS = 10
const CGROUPS = '/sys/fs/cgroup'

const readGroupCpuMs = findGroupMeter()

export function busyCpuMs(): number {
  if (readGroupCpuMs) return readGroupCpuMs()
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

/** Undefined in the machine's own group. */
function findGroupMeter(): (() => number) | undefined {
  const groups = tryRead('/proc/self/cgroup')?.trim().split('\n') ?? []
  for (const [, controllers = '', path = '/'] of groups.map((line) => line.split(':'))) {
    if (path === '/') continue
    if (controllers.split(',').includes('cpuacct')) {
      const file = join(CGROUPS, 'cpuacct', path, 'cpuacct.usage')
      if (tryRead(file) !== undefined) return () => Number(readFileSync(file, 'utf8')) / 1e6
    }
    const file = join(CGROUPS, path, 'cpu.stat')
    const read = (text: string) => Number(/^usage_usec (\d+)/m.exec(text)?.[1]) / 1e3
    if (controllers === '' && tryRead(file) !== undefined) return () => read(readFileSync(file, 'utf8'))
  }
  return undefined
}

function tryRead(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
