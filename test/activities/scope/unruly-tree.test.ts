// What a fixer may leave in its tree so that a session that reads it never goes on. The calls of the agent are on record already, as after
// a death of the worker: what they left is made by hand, everything else is real.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CancelledFailure } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import { createSessionActivities } from '../../../src/activities/index.ts'
import { MAX_FILE_BYTES } from '../../../src/domain/scope/takeable-files.ts'
import { plainGit } from '../../platform/git/support.ts'
import { until } from '../../support/until.ts'
import { QUIET } from '../support.ts'
import { CODES, setCallBench } from './support.ts'

// The shell takes bytes that are no UTF-8, which an argument of a process of ours can't be.
const fifo = (path: string | Buffer): void => void execFileSync('sh', ['-c', 'mkfifo "$(cat)"'], { input: path })

describe('what a call left that git cannot take', () => {
  const LEFT: Readonly<Record<string, (tree: string) => unknown>> = {
    'a FIFO in the place of a tracked file': (tree) => {
      rmSync(join(tree, 'docs/d.md'))
      fifo(join(tree, 'docs/d.md'))
    },
    'a socket in the place of a tracked file': async (tree) => {
      rmSync(join(tree, 'docs/d.md'))
      const server = createServer()
      await new Promise<void>((listening) => server.listen(join(tree, 'docs/d.md'), listening))
      // The socket's file is gone with its server.
      renameSync(join(tree, 'docs/d.md'), join(tree, 'docs/s'))
      await new Promise((closed) => server.close(closed))
      renameSync(join(tree, 'docs/s'), join(tree, 'docs/d.md'))
    },
    'a FIFO as .gitignore': (tree) => {
      rmSync(join(tree, '.gitignore'))
      fifo(join(tree, '.gitignore'))
    },
    'a FIFO as .gitignore of a new folder': (tree) => {
      mkdirSync(join(tree, 'new/deep'), { recursive: true })
      fifo(join(tree, 'new/deep/.gitignore'))
      writeFileSync(join(tree, 'new/deep/x'), 'x')
    },
    'a FIFO as .gitattributes': (tree) => fifo(join(tree, 'src/.gitattributes')),
    'a .gitignore of 4 GB': (tree) => truncateSync(join(tree, '.gitignore'), 2 ** 32),
    'a sparse file of 4 GB': (tree) => {
      writeFileSync(join(tree, 'sparse.bin'), '')
      truncateSync(join(tree, 'sparse.bin'), 2 ** 32)
    },
    'a tracked file that is sparse': (tree) => truncateSync(join(tree, 'docs/d.md'), 2 ** 32),
    '`.git ` with a space': (tree) => {
      mkdirSync(join(tree, 'lib/.git '), { recursive: true })
      writeFileSync(join(tree, 'lib/.git /config'), 'x')
    },
    '`.git.` with a dot': (tree) => writeFileSync(join(tree, '.git.'), 'x'),
    'git~1': (tree) => writeFileSync(join(tree, 'git~1'), 'x'),
    '.git with an invisible character': (tree) => {
      mkdirSync(join(tree, '.g\u200cit'))
      writeFileSync(join(tree, '.g\u200cit/config'), 'x')
    },
    'a link by a name that means .git': (tree) => symlinkSync('docs', join(tree, '.git.')),
    'a backslash before .git': (tree) => writeFileSync(join(tree, 'a\\.git\\config'), 'x'),
    'a folder that none may enter, with a FIFO as .gitignore in it': (tree) => {
      mkdirSync(join(tree, 'new'))
      fifo(join(tree, 'new/.gitignore'))
      chmodSync(join(tree, 'new'), 0)
    },
    'a repository of its own with a FIFO as HEAD': (tree) => {
      execFileSync('git', ['init', '-q', join(tree, 'new')])
      rmSync(join(tree, 'new/.git/HEAD'))
      fifo(join(tree, 'new/.git/HEAD'))
    },
    'a link to an endless device in .git': (tree) => {
      rmSync(join(tree, '.git/objects/info/alternates'))
      symlinkSync('/dev/zero', join(tree, '.git/objects/info/alternates'))
      writeFileSync(join(tree, '.git/HEAD'), `${'1'.repeat(40)}\n`)
    },
    'a FIFO as .gitignore below a name that is not UTF-8': (tree) => {
      const folder = Buffer.from(`${tree}/src/:x\xff`, 'latin1')
      mkdirSync(folder)
      fifo(Buffer.concat([folder, Buffer.from('/.gitignore')]))
    },
    'no work tree': (tree) => renameSync(tree, `${tree}.gone`),
    'a link in the place of the work tree': (tree) => {
      renameSync(tree, `${tree}.gone`)
      symlinkSync(`${tree}.gone`, tree)
    },
    'a file in the place of the work tree': (tree) => {
      rmSync(tree, { recursive: true })
      writeFileSync(tree, '')
    },
    'an empty folder in the place of the work tree': (tree) => {
      renameSync(tree, `${tree}.gone`)
      mkdirSync(tree)
    },
  }
  for (const [name, leave] of Object.entries(LEFT)) {
    test(`${name} is a violation, and the next call begins as ever`, async (t) => {
      const bench = await setCallBench(t)
      const work = await bench.fix('fix', leave)
      assert.ok(work.violations.length > 0)
      assert.deepEqual(work.outOfScope, CODES)
      const next = await bench.fix('next', () => undefined)
      assert.deepEqual([next.violations, next.outOfScope], [[], []])
    })
  }

  test('a pipe that git does not see, and a backslash in a name, are left alone', async (t) => {
    const bench = await setCallBench(t)
    const work = await bench.fix('fix', (tree) => {
      mkdirSync(join(tree, 'out'))
      fifo(join(tree, 'out/pipe'))
      fifo(join(tree, 'src/pipe'))
      writeFileSync(join(tree, 'src/a\\b'), 'x')
    })
    assert.deepEqual([work.violations, work.outOfScope], [[], []])
    const { tree } = bench.workspace('s1')
    assert.ok(lstatSync(join(tree, 'out/pipe')).isFIFO())
  })

  test('a path that is longer than the system takes ends nothing', async (t) => {
    const bench = await setCallBench(t)
    for (const [call, folders] of Object.entries({ most: 40, more: 60 })) {
      const deeper = `for (let i = 0; i < ${folders}; i++) { fs.mkdirSync(n); process.chdir(n) } fs.writeFileSync('x'.repeat(50), '')`
      const make = `const n = 'n'.repeat(100); ${deeper}`
      const work = await bench.fix(call, (tree) => execFileSync(process.execPath, ['-e', make], { cwd: tree }))
      assert.deepEqual([work.violations, work.outOfScope], [[], []])
    }
    await bench.run('closeSession', { sessionId: 's1', outcomes: {}, at: Date.now() })
    assert.throws(() => bench.workspace('s1'))
  })

  test('bars only the issues that say they made it, if any does', async (t) => {
    const bench = await setCallBench(t)
    const big = (tree: string): void => {
      writeFileSync(join(tree, 'src/big'), '')
      truncateSync(join(tree, 'src/big'), 2 ** 32)
    }
    const work = await bench.fix('fix', big, { B: ['src/big'] })
    assert.deepEqual(work.outOfScope, ['B'])
    assert.deepEqual([work.issues.A?.files, work.issues.B?.files], [1, 1])
  })
})

test('a cancellation ends a git command that takes long, and it holds up nothing that follows', async (t) => {
  const bench = await setCallBench(t)
  const slow = (tree: string): void => {
    for (const file of ['one', 'other']) writeFileSync(join(tree, file), randomBytes(MAX_FILE_BYTES))
  }
  const environment = new MockActivityEnvironment({}, { logger: QUIET })
  const input = await bench.left('slow', slow)
  const running = environment.run(createSessionActivities(bench.shop).fixBatch, input)
  running.catch(() => undefined)
  const { gitDir } = bench.workspace('s1')
  await until('git adds', () => existsSync(join(gitDir, 'index.lock')))
  environment.cancel()
  await assert.rejects(running, (error) => error instanceof CancelledFailure)
  const added = plainGit(['--git-dir', gitDir, 'ls-files', '--', 'one', 'other'], gitDir)
  assert.equal(added, '', 'git did not come to its end')
  await bench.run('closeSession', { sessionId: 's1', outcomes: {}, at: Date.now() })
})
