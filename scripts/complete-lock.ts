// Run after `npm install` changed the lockfile: `node scripts/complete-lock.ts` (--check only counts).
// A registry mirror that lacks other platforms' binaries makes npm leave them out of the lockfile, and then `npm ci` refuses it
// everywhere. Every exact optional dependency that has no entry gets one, with the platform that its name tells.
// The gap: such an entry has no integrity hash, because nothing here has seen the file.
import { readFileSync, writeFileSync } from 'node:fs'

interface LockedPackage {
  readonly version?: string
  readonly dev?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']
const exact = /^\d+\.\d+\.\d+$/
const lockPath = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(lockPath, 'utf8')) as { packages: Record<string, LockedPackage> }

function isLocked(from: string, name: string): boolean {
  const parents = from
    .split('/node_modules/')
    .map((_, depth, parts) => parts.slice(0, depth + 1).join('/node_modules/'))
  return ['', ...parents].some((parent) => lock.packages[`${parent && `${parent}/`}node_modules/${name}`] !== undefined)
}

function platformEntry(name: string, version: string, owner: LockedPackage): LockedPackage | undefined {
  const words = name.slice(name.lastIndexOf('/') + 1).split('-')
  const isWasm = words.includes('wasm32') && exact.test(version)
  if (isWasm) return { version, cpu: ['wasm32'], ...(owner.dev && { dev: true }), optional: true } as LockedPackage
  const at = words.findIndex((word) => systems.includes(word))
  const system = words[at]
  const cpu = words[at + 1]
  // WebAssembly runs on every system.
  if (words.includes('wasm32') && exact.test(version)) {
    return { version, cpu: ['wasm32'], ...(owner.dev && { dev: true }), optional: true } as LockedPackage
  }
  if (system === undefined || cpu === undefined || !exact.test(version)) return undefined
  const libc = words.find((word) => /^(musl|gnu)/.test(word))
  return {
    version,
    cpu: [cpu],
    ...(owner.dev && { dev: true }),
    ...(system === 'linux' && libc && { libc: [libc.startsWith('musl') ? 'musl' : 'glibc'] }),
    optional: true,
    os: [system],
  } as LockedPackage
}

const added: string[] = []
for (const [path, owner] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
    const entry = isLocked(path, name) ? undefined : platformEntry(name, version, owner)
    if (!entry) continue
    lock.packages[`node_modules/${name}`] = entry
    added.push(name)
  }
}
const root = lock.packages[''] ?? {}
const sorted = Object.entries(lock.packages).filter(([path]) => path !== '')
sorted.sort(([a], [b]) => a.localeCompare(b, 'en'))
lock.packages = { '': root, ...Object.fromEntries(sorted) }
if (added.length > 0 && !process.argv.includes('--check')) writeFileSync(lockPath, `${JSON.stringify(lock, null, 2)}\n`)
process.stdout.write(`package-lock.json: ${added.length} platform packages were missing\n`)
