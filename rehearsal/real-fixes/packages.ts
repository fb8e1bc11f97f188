// Source packages of two neighbouring versions, had from the registries through their ordinary clients and kept in the checkout's cache.
// Python's tools and what a project needs are in an environment of their own, with exact versions.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Project } from './projects.ts'

const ROOT = join(import.meta.dirname, '..', '..')
export const CACHE = join(ROOT, 'node_modules', '.cache', 'fixwright', 'real-fixes')
const PYTHON_TOOLS = ['setuptools==75.8.0', 'setuptools-scm==8.1.0', 'wheel==0.45.1', 'pytest==8.3.4']

/** The folder of an unpacked source package. Nobody changes it. */
export function fetchPackage({ registry, package: name, needs = [] }: Project, version: string): string {
  switch (registry) {
    case 'go':
      return fetchModule(name, version)
    case 'pypi':
      return fetchSdist(name, version, needs)
    case 'npm':
      return fetchTarball(name, version)
    case 'cargo':
      return fetchCrate(name, version)
  }
}

/** Packages for the tests alone, in a folder of their own, and that folder. */
export function nodeModulesWith(needs: readonly string[]): string {
  const folder = join(CACHE, 'npm')
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{}')
  }
  if (needs.length > 0) run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, ...needs])
  return join(folder, 'node_modules')
}

/** The home of Rust's tools and of the crates that were fetched: a session's home has neither. */
export function cargoEnvironment(): string {
  const { HOME = '', CARGO_HOME = join(HOME, '.cargo'), RUSTUP_HOME = join(HOME, '.rustup') } = process.env
  return `CARGO_HOME=${CARGO_HOME} RUSTUP_HOME=${RUSTUP_HOME} CARGO_NET_OFFLINE=true`
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

function fetchTarball(name: string, version: string): string {
  return fetchUnpacked(name, version, (draft) => {
    run('npm', ['pack', '--silent', '--pack-destination', draft, `${name}@${version}`])
    const [archive] = readdirSync(draft)
    run('tar', ['xf', join(draft, archive ?? ''), '-C', draft])
  })
}

/** Cargo unpacks what a package depends on. Its lockfile comes along, for the tests to run without a network. */
function fetchCrate(name: string, version: string): string {
  return fetchUnpacked(name, version, (draft) => {
    const [user, crate] = [join(draft, '.user'), join(draft, name)]
    mkdirSync(join(user, 'src'), { recursive: true })
    writeFileSync(join(user, 'src', 'lib.rs'), '')
    writeFileSync(join(user, 'Cargo.toml'), `[package]\nname = "user"\n\n[dependencies]\n${name} = "=${version}"\n`)
    const manifest = (folder: string) => ['--manifest-path', join(folder, 'Cargo.toml')]
    const answer = run('cargo', ['metadata', '--quiet', '--format-version', '1', ...manifest(user)])
    const { packages } = JSON.parse(answer) as { packages: { name: string; manifest_path: string }[] }
    const found = packages.find((each) => each.name === name)
    copyPackage(dirname(found?.manifest_path ?? ''), crate)
    run('cargo', ['fetch', '--quiet', ...manifest(crate)])
  })
}

/** A folder that is made once. `unpack` leaves one folder in the draft. */
function fetchUnpacked(name: string, version: string, unpack: (draft: string) => void): string {
  const folder = join(CACHE, `${name}-${version}`)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const draft = mkdtempSync(join(CACHE, 'draft-'))
  try {
    unpack(draft)
    const [unpacked] = globSync('*/', { cwd: draft })
    renameSync(join(draft, unpacked ?? ''), folder)
  } finally {
    rmSync(draft, { recursive: true })
  }
  return folder
}

/** pip prepares what it downloads: with the build tools of ours, it need not fetch those of each package. */
function fetchSdist(name: string, version: string, needs: readonly string[]): string {
  return fetchUnpacked(name, version, (draft) => {
    const only = ['--no-binary', ':all:', '--no-deps', '--no-build-isolation']
    const download = ['-m', 'pip', 'download', '--quiet', ...only, '--dest', draft, `${name}==${version}`]
    run(pythonWith(needs), download)
    const [archive] = readdirSync(draft)
    run('tar', ['xf', join(draft, archive ?? ''), '-C', draft])
  })
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
