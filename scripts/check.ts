// `npm run check`: format and lint, types, unused code. All three at once, and only what failed is printed.
import { execFile } from 'node:child_process'
import { performance } from 'node:perf_hooks'

interface Check {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
}

const checks: readonly Check[] = [
  {
    name: 'format and lint',
    command: 'biome',
    args: ['ci', '--error-on-warnings', process.stdout.isTTY ? '--colors=force' : '--colors=off'],
  },
  // The package's build writes declarations, which may only name what is exported.
  { name: 'types', command: 'tsc', args: ['--noEmit', '--declaration'] },
  { name: 'unused code', command: 'knip', args: ['--no-progress'] },
]

function run({
  name,
  command,
  args,
}: Check): Promise<{ name: string; output: string; failed: boolean; seconds: string }> {
  const start = performance.now()
  return new Promise((resolve) => {
    execFile(command, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      resolve({ name, output: `${stdout}${stderr}`, failed: error !== null, seconds })
    })
  })
}

for (const { name, output, failed, seconds } of await Promise.all(checks.map(run))) {
  process.stdout.write(`${failed ? `✖ ${name}\n${output}` : `✔ ${name} (${seconds} s)`}\n`)
  if (failed) process.exitCode = 1
}
