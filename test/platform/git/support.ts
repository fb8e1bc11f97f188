// Real repositories in a temporary directory, made by the plain `git` of the machine, as a person or an agent runs it:
// not through the module under test.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Workspace } from '../../../src/platform/git/workspace/object-store.ts'
import { openWorkspace } from '../../../src/platform/git/workspace/workspace.ts'

export const AT = new Date('2026-11-18T12:00:00Z')
export const AUTHOR = { name: 'Ada', email: 'ada@example.org' } as const
export const IGNORE = ['__pycache__/', '*.pyc', 'node_modules/'] as const

export interface Sandbox {
  readonly home: string
  readonly repository: string
  /** Runs git as the person does, by default in their repository; the output without its last newline. */
  git(args: readonly string[], directory?: string): string
  /** Writes files, by default into their repository. */
  /** Undefined removes a file. */
  write(files: Readonly<Record<string, string | undefined>>, directory?: string): void
  open(name?: string, options?: { readonly base?: string; readonly branch?: string }): Promise<Workspace>
}

export const FILES = {
  'README.md': 'hello\n',
  'src/app.py': 'def f():\n    return 1\n',
  'src/lib/util.py': `${Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n')}\n`,
  'run.sh': '#!/bin/sh\necho hi\n',
} as const

/** A repository with one commit on `main`, removed after the test. */
export function sandbox(t: TestContext): Sandbox {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fixwright-git-')))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const repository = join(home, 'repository')
  const box: Sandbox = {
    home,
    repository,
    git: (args, directory = repository) => plainGit(args, directory),
    write(files, directory = repository) {
      for (const [name, content] of Object.entries(files)) {
        const file = join(directory, name)
        mkdirSync(dirname(file), { recursive: true })
        if (content === undefined) rmSync(file)
        else writeFileSync(file, content)
      }
    },
    open: (name = 'session', options = {}) =>
      openWorkspace({
        repository,
        base: options.base ?? plainGit(['rev-parse', 'HEAD'], repository),
        directory: join(home, 'sessions', name),
        branch: options.branch ?? `fix/${name}`,
        ignore: IGNORE,
      }),
  }
  mkdirSync(repository)
  box.git(['init', '-q', '-b', 'main'])
  box.write(FILES)
  chmodSync(join(repository, 'run.sh'), 0o755)
  symlinkSync('README.md', join(repository, 'link.md'))
  box.git(['add', '.'])
  box.git(['commit', '-q', '-m', 'first'])
  return box
}

export function plainGit(args: readonly string[], directory: string): string {
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Person',
    GIT_AUTHOR_EMAIL: 'person@example.org',
    GIT_COMMITTER_NAME: 'Person',
    GIT_COMMITTER_EMAIL: 'person@example.org',
  }
  return execFileSync('git', args, {
    cwd: directory,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd()
}

/** Nobody may write into the folder, the superuser neither; undefined where this machine has no way to do that. */
export function lockFolder(folder: string): (() => void) | undefined {
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o555)
    return () => chmodSync(folder, 0o755)
  }
  try {
    execFileSync('chattr', ['+i', folder], { stdio: 'ignore' })
    return () => void execFileSync('chattr', ['-i', folder])
  } catch {
    return undefined
  }
}

/** git as an agent runs it: no identity in its environment, everything else from the repository it finds. */
export function agentGit(workspace: Workspace, ...args: readonly string[]): string {
  const env = { PATH: process.env.PATH, HOME: workspace.directory, GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', args, {
    cwd: workspace.tree,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd()
}

/** Hooks that fail and leave a trace, for each moment that git knows. */
export function trapHooks(box: Sandbox, hooks = join(box.repository, '.git/hooks')): string {
  const trace = join(box.home, 'a-hook-ran')
  const names = [
    'pre-commit',
    'post-checkout',
    'reference-transaction',
    'post-index-change',
    'pre-auto-gc',
    'post-merge',
    'update',
  ]
  mkdirSync(hooks, { recursive: true })
  for (const name of names) {
    writeFileSync(join(hooks, name), `#!/bin/sh\necho ${name} >> '${trace}'\nexit 1\n`, { mode: 0o755 })
  }
  return trace
}
