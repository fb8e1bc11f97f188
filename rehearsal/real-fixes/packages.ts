// Source packages of two neighbouring versions, had from the registries through their ordinary clients and kept in the checkout's cache.
// Python's tools and what a project needs are in an environment of their own, with exact versions.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Project } from './projects.ts'

const ROOT = join(import.meta.dirname, '..', '..')
export const CACHE = join(ROOT, 'node_modules', '.cache', 'fixwright', 'real-fixes')
const PYTHON_TOOLS = ['setuptools==75.8.0', 'setuptools-scm==8.1.0', 'wheel==0.45.1', 'pytest==8.3.4']

/** The folder of an unpacked source package. Nobody changes it. */
export function fetchPackage({ registry, package: name, needs = [] }: Project, version: string): string {
  return registry === 'go' ? fetchModule(name, version) : fetchSdist(name, version, needs)
}

/** Go's own environment: a session's home has neither modules nor compiled packages. */
export function goEnvironment(): string {
  const [build, modules] = run('go', ['env', 'GOCACHE', 'GOMODCACHE']).split('\n')
  return `GOCACHE=${build} GOMODCACHE=${modules} GOFLAGS=-mod=mod GOPROXY=off GOTELEMETRY=off`
}

export function pythonWith(needs: readonly string[]): string {
  const folder = join(CACHE, 'python')
  const python = join(folder, 'bin', 'python')
  if (!existsSync(python)) run('python3', ['-m', 'venv', folder])
  const have = new Set(run(python, ['-m', 'pip', 'list', '--format=freeze']).split('\n'))
  const missing = [...PYTHON_TOOLS, ...needs].filter((need) => !have.has(need))
  if (missing.length > 0) run(python, ['-m', 'pip', 'install', '--quiet', ...missing])
  return python
}

function fetchModule(name: string, version: string): string {
  const answer = run('go', ['mod', 'download', '-json', `${name}@${version}`])
  return (JSON.parse(answer) as { Dir: string }).Dir
}

/** pip prepares what it downloads: with the build tools of ours, it need not fetch those of each package. */
function fetchSdist(name: string, version: string, needs: readonly string[]): string {
  const folder = join(CACHE, `${name}-${version}`)
  if (existsSync(folder)) return folder
  const python = pythonWith(needs)
  const draft = mkdtempSync(join(CACHE, 'draft-'))
  try {
    const only = ['--no-binary', ':all:', '--no-deps', '--no-build-isolation']
    run(python, ['-m', 'pip', 'download', '--quiet', ...only, '--dest', draft, `${name}==${version}`])
    const [archive] = readdirSync(draft)
    run('tar', ['xf', join(draft, archive ?? ''), '-C', draft])
    const [unpacked] = globSync('*/', { cwd: draft })
    renameSync(join(draft, unpacked ?? ''), folder)
  } finally {
    rmSync(draft, { recursive: true })
  }
  return folder
}

/** A copy that may be changed; a module's own files are read-only. */
export function copyPackage(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !/__pycache__|\.egg-info/.test(path) })
  run('chmod', ['-R', 'u+w', to])
}

export function run(command: string, args: readonly string[]): string {
  mkdirSync(CACHE, { recursive: true })
  return execFileSync(command, args, { cwd: CACHE, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd()
}
