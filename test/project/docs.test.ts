// What the docs print from the code, and where they point to, is true.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Command } from 'commander'
import { z } from 'zod'
import { ERROR_CODES } from '../../src/domain/errors/error-codes.ts'
import { EventType, SessionEvent } from '../../src/domain/session/events/index.ts'
import { CONSEQUENCES, SESSION_EXITS } from '../../src/domain/session/failure.ts'
import { FINDINGS_FORMATS } from '../../src/integrations/importers/read-report.ts'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { rooms } from './house.ts'

const ROOT = packageRoot()

test('docs/guarantees.md prints the table of failures as the code has it', () => {
  const rows = Object.entries(CONSEQUENCES).map(([name, { meaning, issue, session, event }]) =>
    [
      `\`${name}\``,
      meaning,
      issue === 'failed' ? 'yes' : 'no',
      issue,
      session,
      `\`${event}\``,
      SESSION_EXITS[session],
    ].join(' | '),
  )
  const table = [
    '| class | means | uses an iteration | issue | session | last event | exit |',
    '|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
  const text = readFileSync(join(ROOT, 'docs/guarantees.md'), 'utf8')
  assert.ok(text.includes(table), `docs/guarantees.md should hold this:\n${table}`)
})

test('docs/operating.md prints the table of error codes as the code has it', () => {
  const rows = Object.entries(ERROR_CODES).map(([code, { exit, meaning }]) => `| \`${code}\` | ${meaning} | ${exit} |`)
  const table = ['| code | means | exit |', '|---|---|---|', ...rows].join('\n')
  const text = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8')
  assert.ok(text.includes(table), `docs/operating.md should hold this:\n${table}`)
})

test('docs/findings.md and the help of fix name every format of findings', () => {
  const page = readFileSync(join(ROOT, 'docs/findings.md'), 'utf8')
  const [, help = ''] =
    /'the format of the findings: (.*) \(default/.exec(readFileSync(join(ROOT, 'src/cli/options/fix.ts'), 'utf8')) ?? []
  assert.deepEqual(help.split(/, | or /), [...FINDINGS_FORMATS])
  assert.deepEqual(
    [...page.matchAll(/^\| `(\w[\w-]*)` \|/gm)].map(([, name]) => name),
    [...FINDINGS_FORMATS],
  )
})

test('docs/architecture.md says of every room whom it may know, as the house has it', () => {
  const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
  const said = [...text.matchAll(/^\| `src\/([\w/-]+)` \| .+ \| (.+) \|$/gm)].map(([, room, whom]) => [room, whom])
  const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
  const expected = Object.entries(rooms).map(([room, { knows, types = [] }]) => {
    const whom = [
      ...(knows.length > 0 ? [quoted(knows)] : []),
      ...(types.length > 0 ? [`types of ${quoted(types)}`] : []),
    ]
    return [room, whom.join(', ') || 'nobody']
  })
  assert.deepEqual(Object.fromEntries(said), Object.fromEntries(expected))
})

test('the picture of the README shows the story in at most 25 lines: checks, a wrong fix caught, a kill, commits, a report', () => {
  const lines = readFileSync(join(ROOT, 'docs/demo.svg'), 'utf8').match(/<text .*<\/text>/g) ?? []
  assert.ok(lines.length >= 15 && lines.length <= 25, `${lines.length} lines`)
  const text = lines.map((line) => line.replace(/<[^>]*>/g, '')).join('\n')
  for (const part of ['--verify', '✗ red', 'kill -9', 'not solved', '✔ green', 'the report:'])
    assert.ok(text.includes(part), part)
})

test('docs/events.md names every event and no other', () => {
  const [ours = ''] = eventsPage()
  const named = new Set(ours.match(/\bfix_[a-z_]+\b/g))
  assert.deepEqual([...named].sort(), [...EventType.options].sort())
})

test('docs/events.md says what the data of each event holds, as the schemas have it', () => {
  const [ours = ''] = eventsPage()
  const rows = describeSchema(SessionEvent).flatMap(({ properties }) => {
    const type = String(properties.type?.const)
    return type === 'fix_log'
      ? []
      : [`| \`${type}\` | ${listVariants(properties.data).map(listFields).join('; or ')} |`]
  })
  const logs = describeSchema(SessionEvent).flatMap(({ properties }) =>
    properties.type?.const === 'fix_log' ? listVariants(properties.data) : [],
  )
  const codes = logs.map((log) => {
    const { code, level, ...facts } = log.properties
    return `| \`${code?.const}\` | ${level?.const} | ${listFields({ ...log, properties: facts })} |`
  })
  for (const table of [
    ['| event | `data` |', '|---|---|', ...rows.sort()],
    ['| `code` | `level` | besides |', '|---|---|---|', ...codes.sort()],
  ]) {
    assert.ok(ours.includes(table.join('\n')), `docs/events.md should hold this:\n${table.join('\n')}`)
  }
})

interface JsonSchema {
  readonly const?: string
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
}

function describeSchema(schema: z.ZodType): readonly JsonSchema[] {
  return listVariants(z.toJSONSchema(schema, { io: 'input' }) as unknown as JsonSchema)
}

function listVariants(schema: JsonSchema | undefined): readonly JsonSchema[] {
  return schema?.anyOf ?? schema?.oneOf ?? (schema ? [schema] : [])
}

/** Every event has `total` besides, and `lane` where it is the work of one. */
function listFields({ properties, required = [] }: JsonSchema): string {
  const names = Object.keys(properties).filter(
    (name) => name !== 'total' && (name !== 'lane' || required.includes(name)),
  )
  const fields = names.map((name) => {
    const only = properties[name]?.const
    return `\`${name}${required.includes(name) ? '' : '?'}${typeof only === 'string' ? `: ${only}` : ''}\``
  })
  return fields.join(', ') || 'nothing'
}

test('docs/events.md says what each event of the fix-and-verify document is called here [S4-4, C9]', () => {
  const [, table = ''] = eventsPage()
  const rows = [...table.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)]
  assert.deepEqual(
    rows.map(([, theirs]) => theirs),
    [
      'fix_started',
      'cycle_started',
      'agent_invoked',
      'verification_started',
      'verification_result',
      'cycle_completed',
      'fix_completed',
    ],
  )
  for (const [, theirs, ours = ''] of rows) {
    const named = ours.match(/\bfix_[a-z_]+\b/g) ?? []
    assert.ok(named.length > 0 && named.every((name) => EventType.safeParse(name).success), `${theirs}: ${ours}`)
  }
})

function eventsPage(): string[] {
  return readFileSync(join(ROOT, 'docs/events.md'), 'utf8').split('\n## Under other names\n')
}

test('every link, test and source that the docs name is there', () => {
  for (const file of globSync('{*.md,docs/**/*.md}', { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    for (const [, link = '', , anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(#([^)]+))?\)/g)) {
      const target = link === '' ? file : join(dirname(file), link)
      assert.ok(existsSync(join(ROOT, target)), `${file} points to ${target}, which is not there`)
      if (anchor !== undefined)
        assert.ok(listAnchors(target).includes(anchor), `${target} has no #${anchor}: see ${file}`)
    }
    for (const [, path = ''] of text.matchAll(
      /`((?:test|src|config|agents|rehearsal|scripts|examples)\/[\w/*.-]+)`/g,
    )) {
      const there = path.includes('*') ? globSync(path, { cwd: ROOT }).length > 0 : existsSync(join(ROOT, path))
      assert.ok(there, `${file} points to ${path}, which is not there`)
    }
  }
})

test('docs/decisions.md lists each of its decisions at its top', () => {
  const text = readFileSync(join(ROOT, 'docs/decisions.md'), 'utf8')
  const listed = [...text.matchAll(/\[([^\]]+)\]\(#[^)]+\)(?= [·|])/g)].map(([, title]) => title)
  const sections = new Set([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title))
  const decisions = [...text.matchAll(/^### (.+)$/gm)].map(([, title]) => title)
  assert.deepEqual(listed.filter((title) => !sections.has(title)).sort(), decisions.sort())
})

/** The headings of a page, as links name them. */
function listAnchors(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/^```.*?^```/gms, '')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('every command that the docs show is one, with the options that it has there', async () => {
  const program = await loadProgram()
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const unknown: string[] = []
  let seen = 0
  for (const file of globSync('{*.md,docs/**/*.md}', { cwd: ROOT })) {
    const blocks = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(
      ([, block = '']) => block,
    )
    const lines = blocks
      .flatMap((block) => block.replaceAll('\\\n', '').split('\n'))
      .map((line) => line.replace(/\s#.*/, ''))
    for (const [, script = ''] of lines.join('\n').matchAll(/\bnpm (?:run )?((?<=run )[\w:]+|test)\b/g)) {
      if (!(script in scripts)) unknown.push(`${file}: npm run ${script}`)
    }
    for (const [shown] of lines.join('\n').matchAll(/(?<=^|\$\(|\| |&& )fixwright [^|\n;)]*/gm)) {
      seen += 1
      const problem = findProblem(program, shown)
      if (problem) unknown.push(`${file}: ${shown}: ${problem}`)
    }
  }
  assert.deepEqual(unknown, [])
  assert.ok(seen > 40, `${seen} commands`)
})

/** The commands as `src/cli/main.ts` has them. */
async function loadProgram(): Promise<Command> {
  const program = new Command('fixwright').option('--debug').option('--version').option('--help')
  for (const file of globSync('src/cli/options/*.ts', { cwd: ROOT })) {
    const exported: Record<string, unknown> = await import(join(ROOT, file))
    for (const [name, add] of Object.entries(exported)) {
      if (/^add\w*Commands?$/.test(name)) (add as (to: Command) => void)(program)
    }
  }
  return program
}

function findProblem(program: Command, shown: string): string | undefined {
  const words = shown
    .replace(/"[^"]*"|'[^']*'/g, 'TEXT')
    .split(/[\s[\]]+/)
    .slice(1)
  let command = program
  const options = new Set(['--help', '--debug'])
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word)
    if (!next && command === program && /^[a-z]/.test(word)) return `there is no command ${word}`
    command = next ?? command
    for (const { long, negate } of command.options) options.add(long ?? '').add(negate ? (long ?? '') : '')
  }
  const flags = words.flatMap((word) => /^--[a-z][\w-]*/.exec(word) ?? [])
  const wrong = flags.filter((flag) => !options.has(flag))
  return wrong.length > 0 ? `${command.name()} has no ${wrong.join(', ')}` : undefined
}
