// The sandbox around an agent's process, or around a command that runs code of an agent.
import { z } from 'zod'

/**
 * `network`: as `files`, with no network but what the settings allow. `files`: the process sees its workspace and the system's
 * programs, and none of the operator's files. `processes`: it sees only its own processes. `none`: it runs as the operator does.
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
