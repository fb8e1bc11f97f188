import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Every other process that names the folder in its environment, arguments or working directory, with its command. Without /proc: none. */
export function processesNaming(folder: string): Map<number, string> {
  const found = new Map<number, string>()
  if (!existsSync('/proc/self/environ')) return found
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      const facts = [readFileSync(`/proc/${pid}/environ`, 'utf8'), command, readlinkSync(`/proc/${pid}/cwd`)]
      if (command !== '' && facts.some((fact) => fact.includes(folder))) found.set(Number(pid), command)
    } catch {
      // It ended while it was looked at, or belongs to somebody else.
    }
  }
  return found
}
