// Packs Fixwright and installs it as a user does, from npm's cache where that has what is needed.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { packageRoot } from '../../src/runtime/home/package-root.ts'

export interface Packed {
  readonly tarball: string
  readonly paths: readonly string[]
}

export interface Ended {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { maxBuffer: 16 << 20, ...options }, (_error, stdout, stderr) => {
      resolve({ status: child.exitCode ?? -1, stdout, stderr })
    })
  })
}

/** What it wrote to standard output; anything but success is an error that shows all it wrote. */
export async function mustRun(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { status, stdout, stderr } = await run(command, args, options)
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

export async function pack(folder: string): Promise<Packed> {
  const told = await mustRun('npm', ['pack', '--json', '--silent', '--pack-destination', folder], {
    cwd: packageRoot(),
  })
  // npm 11 answers with a list, npm 12 with an object by name.
  const [first] = Object.values(JSON.parse(told) as Record<string, { filename: string; files: { path: string }[] }>)
  assert.ok(first)
  return { tarball: join(folder, first.filename), paths: first.files.map(({ path }) => path) }
}

/** Installs for everybody who has the prefix's bin on the PATH; answers with the command. */
export async function installGlobally(tarball: string, prefix: string, cwd: string): Promise<string> {
  // `npm test` hands the checkout's strictness on, and with it npm 11 trips over a prefix that is not there yet.
  const quick = ['--ignore-scripts', '--no-strict-allow-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  await mustRun('npm', ['install', '--global', '--prefix', prefix, ...quick, tarball], { cwd })
  return join(prefix, 'bin/fixwright')
}
