// `npm test -- [files]` and `npm run test:slow`: node's test runner over everything that isn't slow (or is: test/slow), in a run folder of its own.
// TMPDIR of the tests is that folder. When they are over, a process that still names it and a file that is still in it are failures.
// The gap: leftover processes are looked for in /proc, so only on Linux.
import { spawn } from 'node:child_process'
import { existsSync, globSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { packageRoot } from '../src/runtime/home/package-root.ts'
import { processesNaming } from '../test/support/processes-naming.ts'

const { values, positionals } = parseArgs({
  options: { slow: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const limits = values.slow ? { test: 30, file: 60, run: 120 } : { test: 2, file: 12, run: 30 }
const kept = ['node-compile-cache'] // node's own, in TMPDIR by its default

process.chdir(packageRoot())
const runFolder = mkdtempSync(join(tmpdir(), 'fwt-'))
try {
  const passed = await runTests(positionals.length > 0 ? positionals : testFiles())
  const leftovers = [...(await leftProcesses()), ...leftFiles()]
  for (const leftover of leftovers) process.stdout.write(`✖ left behind by the tests: ${leftover}\n`)
  if (!passed || leftovers.length > 0) process.exitCode = 1
} finally {
  rmSync(runFolder, { recursive: true, force: true })
}

function testFiles(): string[] {
  const isSlow = (file: string) => file.startsWith(join('test', 'slow'))
  return globSync('test/**/*.test.ts').filter((file) => isSlow(file) === values.slow)
}

function runTests(files: readonly string[]): Promise<boolean> {
  const setup = 'test/support/global-setup.ts'
  const args = [
    '--import=./scripts/test-guard.ts',
    '--test',
    '--test-reporter=./scripts/test-reporter.ts',
    `--test-timeout=${limits.test * 60_000}`,
    // One more than there are cores: most end-to-end tests wait for a model's answer or a process half of their time.
    `--test-concurrency=${availableParallelism() + 1}`,
    ...(existsSync(setup) ? [`--test-global-setup=${setup}`] : []),
    ...files,
  ]
  const env = {
    ...process.env,
    TMPDIR: runFolder,
    // Each file is a process of its own, and most load the same sources: half of what a small one costs. `bin/fixwright` keeps its own there.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(packageRoot(), 'node_modules/.cache/fixwright/compile'),
    FIXWRIGHT_TEST_RUN: runFolder,
    FIXWRIGHT_TEST_FILE_MINUTES: `${limits.file}`,
  }
  const runner = spawn(process.execPath, args, { env, stdio: 'inherit' })
  // Ctrl-C reaches the runner too: it says what it interrupts, and then there is still something to tidy up here.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => runner.kill('SIGINT'))
  const deadline = setTimeout(() => {
    process.stdout.write(`✖ the tests did not end within ${limits.run} minutes and are interrupted\n`)
    runner.kill('SIGINT')
    setTimeout(() => runner.kill('SIGKILL'), 5000).unref()
  }, limits.run * 60_000)
  return new Promise((resolve) => {
    runner.on('exit', (status) => {
      clearTimeout(deadline)
      resolve(status === 0)
    })
  })
}

/** Processes of the run that don't end within a moment of it; they are ended, so that the next run is not disturbed. */
async function leftProcesses(): Promise<string[]> {
  const patience = performance.now() + 3000
  let left = processesNaming(runFolder)
  while (left.size > 0 && performance.now() < patience) {
    await delay(100)
    left = processesNaming(runFolder)
  }
  for (const pid of left.keys()) process.kill(pid, 'SIGKILL')
  return [...left].map(([pid, command]) => `process ${pid}: ${command.slice(0, 200)}`)
}

function leftFiles(): string[] {
  return readdirSync(runFolder)
    .filter((name) => !kept.includes(name))
    .map((name) => `${name} in the temporary folder${contentOf(join(runFolder, name))}`)
}

/** Who left a folder shows in what is in it. */
function contentOf(path: string): string {
  const files = lstatSync(path).isDirectory() ? globSync('**/*', { cwd: path }).slice(0, 10) : []
  return files.length > 0 ? `: ${files.join(', ')}` : ''
}
