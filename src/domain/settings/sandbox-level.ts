// What stood around a process of an agent, or of a command that runs what an agent wrote.
import { z } from 'zod'

/**
 * `network`: files, and of the network nothing but what the settings allow. `files`: it sees its workspace and the system's programs,
 * and nothing of its operator's. `processes`: only its processes are its own. `none`: it runs as its operator does.
 */
export const Sandbox = z.enum(['none', 'processes', 'files', 'network'])
export type Sandbox = z.infer<typeof Sandbox>

const WORDS: Readonly<Record<Sandbox, string>> = {
  none: 'no sandbox',
  processes: 'a process namespace only: files and network are open to it',
  files: 'a file sandbox; the network is open to it',
  network: 'a file sandbox without network but for what it needs',
}

export function describeSandbox(sandbox: Sandbox): string {
  return WORDS[sandbox]
}
