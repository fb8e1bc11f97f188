// Who may know whom (DESIGN §3), as one table, and the outside modules that only some rooms may use.
// A room may import the values of the rooms it knows, and nothing but types of those in `types`.
import { dirname, join, normalize } from 'node:path/posix'
import { importsOf } from './imports.ts'

interface Room {
  readonly knows: readonly string[]
  readonly types?: readonly string[]
}

export const rooms: Readonly<Record<string, Room>> = {
  domain: { knows: [] },
  processes: { knows: [] },
  masking: { knows: [] },
  git: { knows: ['domain', 'processes'] },
  sandbox: { knows: ['domain', 'processes'] },
  agents: { knows: ['domain', 'processes', 'sandbox'] },
  store: { knows: ['domain'] },
  artifacts: { knows: ['domain'] },
  workflows: { knows: ['domain'], types: ['activities'] },
  activities: { knows: ['domain', 'agents', 'git', 'store', 'artifacts', 'processes', 'masking', 'sandbox'] },
  client: { knows: ['domain'], types: ['workflows'] },
  scripting: { knows: ['domain', 'client', 'store', 'runtime'] },
  cli: { knows: ['domain', 'client', 'store', 'runtime', 'scripting'] },
  runtime: {
    knows: ['domain', 'processes', 'masking', 'sandbox', 'git', 'agents', 'store', 'artifacts', 'activities', 'client'],
    types: ['workflows'],
  },
}

interface Outsider {
  readonly module: RegExp
  /** Rooms, folders or files below src/ that may import it. */
  readonly only: readonly string[]
  readonly because: string
}

const spawners = ['processes', 'sandbox/relay-main.ts', 'agents', 'runtime', 'activities/running-commands.ts']

export const outsiders: readonly Outsider[] = [
  { module: /^simple-git$/, only: ['git'], because: 'all git is in one room' },
  { module: /^(node:child_process|execa)$/, only: spawners, because: 'who spawns a process must see to its end' },
  { module: /^@secretlint\//, only: ['masking'], because: 'what a secret is, is decided once' },
  { module: /^kysely$/, only: ['store'], because: 'the tables are known to the store alone' },
  {
    module: /^node:sqlite$/,
    only: ['store', 'runtime/instance-lock.ts'],
    because: 'the tables are known to the store alone',
  },
  {
    module: /^zod$/,
    only: ['domain', 'runtime', 'agents', 'processes'],
    because: 'schemas parse at the edges, rules are free of them',
  },
  { module: /^@temporalio\/workflow$/, only: ['workflows'], because: 'only a workflow is one' },
  { module: /^@temporalio\/worker$/, only: ['runtime'], because: 'only the runtime puts the pieces together' },
  { module: /^@temporalio\/client$/, only: ['client', 'runtime'], because: 'others use the typed client' },
]

/** What these two may load from outside: the rest has side effects. (Hashes and globs have none, but in a workflow the bundler refuses both.) */
const pure: Readonly<Record<string, RegExp>> = {
  domain: /^(zod|node:(crypto|path))$/,
  workflows: /^@temporalio\/(workflow|common)$/,
}

/** One sentence for each import of a file below src/ that its room forbids. */
export function violations(file: string, source: string): readonly string[] {
  const room = roomOf(file)
  const known = rooms[room]
  if (!known) return [`${file}: src/${room} is no room of the house; give it a line in test/project/house.ts`]
  return importsOf(source).flatMap(({ specifier, only }) => {
    const problem = specifier.startsWith('.')
      ? neighbourProblem(room, known, roomOf(normalize(join(dirname(file), specifier))), only)
      : only === 'value' && outsiderProblem(file, room, specifier)
    return problem ? [`${file} imports ${specifier}: ${problem}`] : []
  })
}

function neighbourProblem(room: string, { knows, types = [] }: Room, other: string, only: 'value' | 'type') {
  if (other === room || knows.includes(other)) return undefined
  if (types.includes(other)) return only === 'type' ? undefined : `${room} may know only the types of ${other}`
  return `${room} may know ${knows.join(', ') || 'nobody'}${types.length > 0 ? ` and the types of ${types.join(', ')}` : ''}`
}

function outsiderProblem(file: string, room: string, specifier: string): string | undefined {
  if (pure[room]?.test(specifier) === false) return `${room} has no side effects, ${specifier} may`
  const rule = outsiders.find(({ module }) => module.test(specifier))
  if (!rule || rule.only.some((place) => file === place || file.startsWith(`${place}/`) || file === `${place}.ts`))
    return undefined
  return `only ${rule.only.join(', ')} may, because ${rule.because}`
}

function roomOf(file: string): string {
  return file.split('/')[0] ?? ''
}
