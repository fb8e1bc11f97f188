// Who may know whom, as one table, and the outside modules that only some rooms may use. A room is a folder below src/; the
// longest name that fits decides. A room may import the values of the rooms it knows, and only types of those in `types`.
import { dirname, join, normalize } from 'node:path/posix'
import { importsOf } from './imports.ts'

interface Room {
  readonly knows: readonly string[]
  readonly types?: readonly string[]
}

export const rooms: Readonly<Record<string, Room>> = {
  domain: { knows: [] },
  'platform/processes': { knows: [] },
  'platform/files': { knows: [] },
  'platform/masking': { knows: [] },
  'platform/logging': { knows: ['platform/masking'] },
  'platform/web': { knows: [] },
  'platform/tracing': { knows: [] },
  'platform/git': { knows: ['platform/processes'] },
  'platform/sandbox': { knows: ['domain', 'platform/processes'] },
  agents: { knows: ['domain', 'platform/processes', 'platform/sandbox'] },
  store: { knows: ['domain', 'platform/files'] },
  artifacts: { knows: ['domain'] },
  workflows: { knows: ['domain'] },
  activities: { knows: ['domain', 'agents', 'platform', 'store', 'artifacts', 'integrations/forge'] },
  client: { knows: ['domain'], types: ['workflows'] },
  'runtime/home': { knows: [] },
  'runtime/settings': { knows: ['domain', 'runtime/home', 'platform/processes'] },
  'runtime/temporal-server': { knows: ['domain', 'runtime/home', 'platform/processes'] },
  'runtime/instance': {
    knows: [
      'domain',
      'runtime/home',
      'platform/processes',
      'platform/files',
      'platform/masking',
      'platform/logging',
      'runtime/temporal-server',
    ],
  },
  'integrations/importers': { knows: ['domain'] },
  'integrations/forge': { knows: ['domain'] },
  preflight: {
    knows: [
      'domain',
      'agents',
      'platform',
      'store',
      'artifacts',
      'integrations/importers',
      'runtime/home',
      'runtime/settings',
    ],
  },
  'runtime/worker': {
    knows: ['domain', 'agents', 'platform', 'store', 'artifacts', 'activities', 'client', 'preflight', 'runtime'],
  },
  app: {
    knows: [
      'domain',
      'agents',
      'platform',
      'store',
      'artifacts',
      'activities',
      'client',
      'integrations/importers',
      'integrations/forge',
      'preflight',
      'runtime',
    ],
  },
  // A request's schema derives from the domain's, so their values are needed here.
  server: { knows: ['app', 'domain', 'runtime/home'] },
  // `up` runs the service.
  cli: { knows: ['app', 'runtime/home', 'server'], types: ['domain'] },
}

/** Inside a room: a folder, and those of the same room that it may not know. */
const strangers: Readonly<Record<string, readonly string[]>> = {
  'workflows/stage': ['workflows/temporal', 'workflows/people'],
}

/** Folders that only their own room knows: others use the interfaces beside them. */
const interiors: readonly string[] = ['store/sqlite', 'artifacts/folder', 'artifacts/bucket']

interface Outsider {
  readonly module: RegExp
  /** Rooms, folders or files below src/ that may import it. */
  readonly only: readonly string[]
  readonly because: string
}

const spawners = [
  'platform/processes',
  'platform/sandbox/egress/relay-main.ts',
  'runtime/instance/spawn-instance.ts',
  'runtime/temporal-server/spawn-detached.ts',
  'cli/terminal/editor.ts',
  'cli/terminal/pager.ts',
]

export const outsiders: readonly Outsider[] = [
  { module: /^simple-git$/, only: ['platform/git'], because: 'all git is in one room' },
  { module: /^(node:child_process|execa)$/, only: spawners, because: 'who spawns a process must see to its end' },
  { module: /^@secretlint\//, only: ['platform/masking'], because: 'what a secret is, is decided once' },
  {
    module: /^(hono|@hono|rate-limiter-flexible|swagger-ui-dist)(\/|$)/,
    only: ['server'],
    because: 'HTTP is spoken in one room',
  },
  { module: /^@aws-sdk\//, only: ['artifacts/bucket'], because: 'it is loaded only where a bucket is set' },
  { module: /^@octokit\//, only: ['integrations/forge/github'], because: 'no type of octokit crosses the port' },
  { module: /^pino$/, only: ['platform/logging'], because: 'what is logged is masked first' },
  { module: /^kysely$/, only: ['store/sqlite'], because: 'the tables are known to the store alone' },
  {
    module: /^node:sqlite$/,
    only: ['store/sqlite', 'store/open-store.ts', 'runtime/instance/lock.ts'],
    because: 'the tables are known to the store alone',
  },
  {
    module: /^zod$/,
    only: ['domain', 'runtime', 'agents', 'integrations', 'platform/processes', 'app/report'],
    because: 'schemas parse at the edges, rules are free of them',
  },
  { module: /^@temporalio\/workflow$/, only: ['workflows'], because: 'only a workflow is one' },
  { module: /^@temporalio\/worker$/, only: ['runtime'], because: 'only the runtime puts the pieces together' },
  { module: /^@temporalio\/client$/, only: ['client', 'runtime'], because: 'others use the typed client' },
]

/** All that these may load from outside: the rest has side effects. (Hashes and globs have none, but in a workflow the bundler refuses both.) */
const pure: Readonly<Record<string, RegExp>> = {
  domain: /^(zod|node:(crypto|path))$/,
  'integrations/importers': /^(zod|node:(crypto|path|path\/posix))$/,
  workflows: /^(@temporalio\/(workflow|common)|@noble\/curves\/(ed25519|utils)\.js)$/,
}

const byLength = Object.keys(rooms).sort((a, b) => b.length - a.length)

/** The room of a file or folder below src/. */
export function roomOf(path: string): string | undefined {
  return byLength.find((room) => isIn(path, room))
}

/** One sentence for each import of a file below src/ that its room forbids. */
export function violations(file: string, source: string): readonly string[] {
  const room = roomOf(file)
  const known = room === undefined ? undefined : rooms[room]
  if (room === undefined || !known)
    return [`${file}: is in no room of the house; give it a line in test/project/house.ts`]
  return importsOf(source).flatMap(({ specifier, only }) => {
    const target = normalize(join(dirname(file), specifier))
    const problem = specifier.startsWith('.')
      ? (neighbourProblem(room, known, target, only) ?? strangerProblem(file, target))
      : only === 'value' && outsiderProblem(file, room, specifier)
    return problem ? [`${file} imports ${specifier}: ${problem}`] : []
  })
}

function neighbourProblem(room: string, { knows, types = [] }: Room, target: string, only: 'value' | 'type') {
  const other = roomOf(target) ?? target
  const interior = interiors.find((folder) => isIn(target, folder))
  if (interior !== undefined && other !== room) return `only ${other} may know ${interior}`
  if (other === room || knows.some((name) => isIn(other, name))) return undefined
  if (types.some((name) => isIn(other, name)))
    return only === 'type' ? undefined : `${room} may know only the types of ${other}`
  return `${room} may know ${knows.join(', ') || 'nobody'}${types.length > 0 ? ` and the types of ${types.join(', ')}` : ''}`
}

function strangerProblem(file: string, target: string): string | undefined {
  const [folder, unknown] = Object.entries(strangers).find(([name]) => isIn(file, name)) ?? []
  return unknown?.some((name) => isIn(target, name)) ? `${folder} may not know ${unknown.join(', ')}` : undefined
}

function outsiderProblem(file: string, room: string, specifier: string): string | undefined {
  if (pure[room]?.test(specifier) === false) return `${room} has no side effects, ${specifier} may`
  const rule = outsiders.find(({ module }) => module.test(specifier))
  if (!rule || rule.only.some((place) => isIn(file, place))) return undefined
  return `only ${rule.only.join(', ')} may, because ${rule.because}`
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** The cycles among files, types included: each as the files that know each other. */
export function importCycles(files: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const imports = new Map(
    [...files].map(([file, source]) => {
      const targets = importsOf(source).filter(({ specifier }) => specifier.startsWith('.'))
      return [file, targets.map(({ specifier }) => normalize(join(dirname(file), specifier)))] as const
    }),
  )
  const reach = (from: string): ReadonlySet<string> => {
    const seen = new Set<string>()
    const open = [...(imports.get(from) ?? [])]
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (seen.has(file)) continue
      seen.add(file)
      open.push(...(imports.get(file) ?? []))
    }
    return seen
  }
  const reached = new Map([...imports.keys()].map((file) => [file, reach(file)]))
  const circular = [...reached].filter(([file, seen]) => seen.has(file)).map(([file]) => file)
  const groups = Map.groupBy(circular, (file) =>
    circular.filter((other) => reached.get(file)?.has(other) && reached.get(other)?.has(file)).join(' '),
  )
  return [...groups.values()]
}
