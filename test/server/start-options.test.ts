// Whatever `fix` can be told at the terminal has its place in the API, or a reason why it has none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { addFixCommand } from '../../src/cli/options/fix.ts'
import { SHORT_FLAGS } from '../../src/runtime/settings/flags.ts'
import { serveDesk } from './support.ts'

/** `member`: of the body of a start. `setting`: in its `settings`. `route`: another request says it. `terminal`: nothing to say over HTTP. */
type Place =
  | { readonly member: string }
  | { readonly setting: true }
  | { readonly route: string; readonly named?: string }
  | { readonly terminal: string }

const setting: Place = { setting: true }

const PLACES: Readonly<Record<string, Place>> = {
  '[findings]': { route: 'post /api/repositories/{repository_id}/imports', named: 'report' },
  '--format': { route: 'post /api/repositories/{repository_id}/imports', named: 'format' },
  '--repo': { member: 'repository_id' },
  '--open': { route: 'get /api/fix/issues/{id}', named: 'status' },
  '--severity': { route: 'get /api/fix/issues/{id}', named: 'severity' },
  '--from-import': { route: 'get /api/fix/issues/{id}', named: 'import_id' },
  '--only': { member: 'issue_ids' },
  '--task': { member: 'task_id' },
  '--base': { member: 'base' },
  '--against': { member: 'against' },
  '--notes': { member: 'user_notes' },
  '--context': { member: 'review' },
  '--branch': { member: 'branch' },
  '--use-existing-branch': { member: 'use_existing_branch' },
  '--force': { member: 'force' },
  '--allow-dirty': { member: 'allow_dirty' },
  '--set': { member: 'settings' },
  '--profile': setting,
  '--verify': setting,
  '--setup': setting,
  '--ignore-broken-checks': setting,
  '--strict': setting,
  '--max-iterations': setting,
  '--max-fix-cycles': setting,
  '--lanes': setting,
  '--clarify': setting,
  '--approve-plan': setting,
  '--workspace': setting,
  '--allow': setting,
  '--max-cost': setting,
  '--max-tokens': setting,
  '--max-minutes': setting,
  '--ignore-untrusted': setting,
  '--allow-test-changes': setting,
  '--temporal': { terminal: 'the service has its Temporal' },
  '--dry-run': { route: 'post /api/fix/plan' },
  '--cancel-on-signal': { terminal: 'a client that goes away ends nothing' },
  '--yes': { terminal: 'the issues are named one by one' },
  '--no-wait': { terminal: 'a start without an event stream waits for nothing' },
  '--json': { terminal: 'all is JSON' },
}

test('every option of fix has its place in the API, and every member of a start stands for one [S2-21]', async (t) => {
  const program = new Command()
  addFixCommand(program)
  const [fix] = program.commands
  const options = fix?.options.map(({ long }) => `${long}`) ?? []
  assert.deepEqual(Object.keys(PLACES).sort(), [...options, '[findings]'].sort())

  const desk = await serveDesk(t)
  const { paths, components } = (await desk.ask('/api/openapi.json')).body
  const members = Object.keys(components.schemas.StartFix.properties)
  const stands = Object.values(PLACES).flatMap((place) => ('member' in place ? place.member : []))
  // The session that was asked about before is none that a terminal needs: it asks and begins in one command.
  assert.deepEqual([...stands, 'clarify_session_id'].sort(), members.sort())

  for (const [option, place] of Object.entries(PLACES)) {
    if ('setting' in place) assert.ok(SHORT_FLAGS[option]?.path, `${option} is a setting by its path`)
    if (!('route' in place)) continue
    const [method = '', path = ''] = place.route.split(' ')
    const described = paths[path]?.[method]
    assert.ok(described, `${option}: ${place.route}`)
    const schema = described.requestBody?.content['application/json'].schema.$ref?.split('/').at(-1)
    const names = [
      ...(described.parameters ?? []).map(({ name }: { name: string }) => name),
      ...Object.keys(components.schemas[schema]?.properties ?? {}),
    ]
    if (place.named !== undefined) assert.ok(names.includes(place.named), `${place.route} takes ${place.named}`)
  }
})
