// A script in the place of ssh: no sshd is on every machine.
import { writeFileSync } from 'node:fs'
import type { TestContext } from 'node:test'

/** Until the test ends, git of this process runs the commands where it would run ssh. */
export function useSsh(t: TestContext, file: string, commands: string): void {
  writeFileSync(file, `#!/bin/sh\n${commands}\n`, { mode: 0o755 })
  const before = process.env.GIT_SSH_COMMAND
  process.env.GIT_SSH_COMMAND = file
  t.after(() => {
    if (before === undefined) delete process.env.GIT_SSH_COMMAND
    else process.env.GIT_SSH_COMMAND = before
  })
}
