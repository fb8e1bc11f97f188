// Whose git a folder works with. Hostile ones are in test/red-team; here is what people have, which must go on working.
import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { runGitInProcess } from '../../../../src/platform/git/execute.ts'
import { setGitRunner } from '../../../../src/platform/git/git.ts'
import { inspectRepository } from '../../../../src/platform/git/repository/inspect.ts'
import { publishBranch } from '../../../../src/platform/git/repository/publish-branch.ts'
import { commitTree } from '../../../../src/platform/git/workspace/commits.ts'
import { openWorkspace } from '../../../../src/platform/git/workspace/workspace.ts'
import { locateRepository } from '../../../../src/preflight/read-repository.ts'
import { AT, AUTHOR, type Sandbox, sandbox } from '../support.ts'

const branch = 'fix/session'

async function worksOn(box: Sandbox, folder: string): Promise<void> {
  const found = await inspectRepository(folder)
  assert.ok(found.kind === 'repository', `${folder}: ${JSON.stringify(found)}`)
  const directory = join(box.home, 'sessions', folder.replaceAll('/', '-'))
  const workspace = await openWorkspace({ repository: found.root, base: found.head, directory, branch, ignore: [] })
  const tree = box.git(['rev-parse', 'HEAD^{tree}'], folder)
  const commit = await commitTree(workspace, { tree, parent: found.head, message: 'x', author: AUTHOR, at: AT })
  const asked: (readonly string[])[] = []
  const giveBack = setGitRunner((request, signal) => {
    asked.push(request.args)
    return runGitInProcess(request, signal)
  })
  try {
    assert.deepEqual(
      await publishBranch({ workspace, branch, commit, expected: undefined }),
      { kind: 'published' },
      folder,
    )
  } finally {
    giveBack()
  }
  assert.equal(box.git(['rev-parse', branch], folder), commit)
  const isPlain = lstatSync(join(folder, '.git')).isDirectory()
  assert.equal(asked.length, isPlain ? 5 : 6, `${folder}: no more processes than it takes: ${asked.join(' | ')}`)
  box.git(['branch', '-D', branch], folder)
}

test('linked worktrees are what they say, also those of a bare repository and of one whose git is elsewhere', async (t) => {
  const box = sandbox(t)
  const bare = join(box.home, 'bare.git')
  const apart = join(box.home, 'apart')
  box.git(['clone', '-q', '--bare', box.repository, bare])
  box.git(['clone', '-q', `--separate-git-dir=${join(box.home, 'apart.git')}`, box.repository, apart])
  for (const [name, from] of Object.entries({ main: box.repository, bare, apart })) {
    const linked = join(box.home, `linked of ${name}`)
    box.git(['worktree', 'add', '-q', '--detach', linked], from)
    await worksOn(box, linked)
  }
  await worksOn(box, apart)
  await worksOn(box, box.repository)
})

test('a linked worktree whose paths are relative, as newer gits make them, is one', async (t) => {
  const box = sandbox(t)
  const linked = join(box.home, 'linked')
  box.git(['worktree', 'add', '-q', '--detach', linked])
  writeFileSync(join(linked, '.git'), 'gitdir: ../repository/.git/worktrees/linked\n')
  writeFileSync(join(box.repository, '.git/worktrees/linked/gitdir'), '../../../../linked/.git\n')
  await worksOn(box, linked)
})

test('a submodule is a repository of its own, and so is a linked worktree of it', async (t) => {
  const box = sandbox(t)
  const above = join(box.home, 'above')
  box.git(['init', '-q', '-b', 'main', above])
  box.git(['-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', box.repository, 'vendor/sub'], above)
  await worksOn(box, join(above, 'vendor/sub'))
  box.git(['worktree', 'add', '-q', '--detach', join(box.home, 'linked')], join(above, 'vendor/sub'))
  await worksOn(box, join(box.home, 'linked'))
})

test('objects may be borrowed, as clones with --reference and --shared do', async (t) => {
  const box = sandbox(t)
  for (const flag of ['--shared', `--reference=${box.repository}`]) {
    const clone = join(box.home, `clone ${flag.slice(2, 8)}`)
    box.git(['clone', '-q', flag, box.repository, clone])
    await worksOn(box, clone)
  }
})

test('a `.git` that is a link to a git directory which is nobody else’s is one that was put elsewhere', async (t) => {
  const box = sandbox(t)
  renameSync(join(box.repository, '.git'), join(box.home, 'git of it'))
  symlinkSync('../git of it', join(box.repository, '.git'))
  await worksOn(box, box.repository)
})

test('a git that shares its objects by links, as the tool `repo` lays it out, is refused with what leads where, and what to do', async (t) => {
  const box = sandbox(t)
  const [shared, own] = [join(box.home, '.repo/project-objects/it.git'), join(box.home, '.repo/projects/it.git')]
  for (const folder of [shared, dirname(own)]) mkdirSync(folder, { recursive: true })
  renameSync(join(box.repository, '.git'), own)
  renameSync(join(own, 'objects'), join(shared, 'objects'))
  symlinkSync('../../project-objects/it.git/objects', join(own, 'objects'))
  symlinkSync('../.repo/projects/it.git', join(box.repository, '.git'))
  const located = await locateRepository({ repository: box.repository })
  assert.ok(located.kind === 'refused')
  assert.ok(located.problem.startsWith(`the git of ${box.repository} is not all its own`), located.problem)
  assert.ok(located.problem.includes(`${own}/objects leads to ${shared}/objects`), located.problem)
  assert.match(located.problem, /git clone --no-local .* and name the clone/)
  box.git(['clone', '-q', '--no-local', box.repository, join(box.home, 'clone')])
  await worksOn(box, join(box.home, 'clone'))
})

test('references that the configuration puts into another folder, as gits since 2.54 can, are refused', async (t) => {
  const box = sandbox(t)
  box.git(['config', 'extensions.refStorage', `files://${box.home}/theirs`])
  // Those that know it refuse it themselves where the repository's format does not say that it may have extensions.
  const located = await locateRepository({ repository: box.repository }).catch((error: Error) => error)
  const said = located instanceof Error ? located.message : JSON.stringify(located)
  assert.match(said, /extensions\.refStorage leads to files:|found in version 0|unknown repository extension/)
})

test('a branch that is a link, or whose log is one, is not written through', async (t) => {
  for (const place of ['refs/heads', 'logs/refs/heads']) {
    const box = sandbox(t)
    const workspace = await box.open('session')
    const tree = box.git(['rev-parse', 'HEAD^{tree}'])
    const commit = await commitTree(workspace, { tree, parent: workspace.base, message: 'x', author: AUTHOR, at: AT })
    const theirs = join(box.home, 'theirs.txt')
    const link = join(box.repository, '.git', place, branch)
    writeFileSync(theirs, '')
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(theirs, link)
    const outcome = await publishBranch({ workspace, branch, commit, expected: undefined })
    assert.ok(outcome.kind === 'refused' && outcome.why.includes(`${link} leads to ${theirs}`), JSON.stringify(outcome))
    assert.equal(readFileSync(theirs, 'utf8'), '')
    rmSync(link)
    assert.deepEqual(await publishBranch({ workspace, branch, commit, expected: undefined }), { kind: 'published' })
  }
})

test('a line end in a path is no way to have another git directory looked at than the one that git works with', async (t) => {
  const box = sandbox(t)
  const folder = join(box.home, 'two\nlines')
  box.git(['clone', '-q', box.repository, folder])
  assert.equal((await inspectRepository(folder)).kind, 'repository')
  const harmless = join(box.home, 'harmless')
  mkdirSync(join(box.home, 'evil'))
  box.git(['init', '-q', '--bare', harmless])
  const hostile = `${harmless}\n${harmless}`
  mkdirSync(hostile, { recursive: true })
  writeFileSync(join(hostile, 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(hostile, 'commondir'), `${box.repository}/.git\n`)
  writeFileSync(join(box.home, 'evil/.git'), `gitdir: ${hostile}\n`)
  assert.deepEqual(await inspectRepository(join(box.home, 'evil')), {
    kind: 'elsewhere',
    path: join(box.home, 'evil'),
    where: box.repository,
  })
})
