// Files that a worker may not remove or read, as checks leave them that run in a container as another user. The superuser may
// remove and read everything: where the tests run as that one, a file of them is run once more without this privilege.
import { execFile, execFileSync } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

const WITHOUT = ['--bounding-set', '-dac_override,-dac_read_search,-fowner']

/** The tests of this file as one whom permissions bind; needs `setpriv` (util-linux) where that is not who runs them. */
export function boundByPermissions(file: string, tests: () => void): void {
  if (isBound()) tests()
  else test('for one whom permissions bind', () => runBound(file))
}

async function runBound(file: string): Promise<void> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  await new Promise<void>((resolve, reject) => {
    execFile('setpriv', [...WITHOUT, process.execPath, file], { env }, (error, stdout) =>
      error ? reject(new Error(`${error.message}${stdout}`)) : resolve(),
    )
  })
}

function isBound(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-bound-'))
  try {
    const locked = join(folder, 'locked')
    writeFileSync(locked, '', { mode: 0o000 })
    accessSync(locked, constants.R_OK)
    return false
  } catch {
    return true
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const isSuperuser = process.getuid?.() === 0
const NAME = 'x'.repeat(200)
const DEEP = `for (let depth = 0; depth < 30; depth++) { fs.mkdirSync('${NAME}'); process.chdir('${NAME}') }`

/**
 * A command that makes a folder `left` that whoever runs it can't remove: one of another user, or, for those who can give nothing
 * away, one too deep for a path.
 */
export const LEAVES_LOCKED = isSuperuser
  ? 'mkdir left && touch left/x && chown -R 1:1 left'
  : `mkdir left && (cd left && ${process.execPath} -e "${DEEP}")`

/** A command that makes its own folder one that whoever runs it can't list or change. */
export const LOCKS_TREE = isSuperuser ? 'chmod 700 . && chown 1:1 .' : 'chmod 000 .'

/** Whether commands can make files of another user. */
export const CAN_GIVE_AWAY = isSuperuser

/** A command that makes a folder of the repository anew, with another file than the repository's, and as one that isn't ours. */
export const REGENERATES = `rm -r src && mkdir src && echo other > src/app.py && ${isSuperuser ? 'chown -R 1:1' : 'chmod -R 500'} src`

/** As its owner would with `sudo`, whatever is locked in it. */
export function removeLocked(folder: string): void {
  const open = ['-type', 'd', '!', '-perm', '-700', '-exec', 'chmod', '700', '{}', ';']
  if (isSuperuser) execFileSync('find', [folder, '-type', 'd', '!', '-user', '0', '-exec', 'chown', '0', '{}', ';'])
  execFileSync('find', [folder, ...open])
  execFileSync('rm', ['-rf', folder])
}

/** To be called before what else removes the folder after the test. */
export function removeLockedAfter(t: TestContext, folder: () => string): void {
  t.after(() => removeLocked(folder()))
}
