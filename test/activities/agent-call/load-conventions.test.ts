// Conventions, as of the base: of the root and the folders of the issues, with what they import, and nothing from outside.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConventions } from '../../../src/activities/agent-call/load-conventions.ts'
import { setBench } from '../support.ts'

const NAMES = ['CLAUDE.md', 'AGENTS.md']

async function conventionsOf(
  t: Parameters<typeof setBench>[0],
  files: Readonly<Record<string, string>>,
  request: Partial<Parameters<typeof loadConventions>[1]> = {},
): Promise<string[]> {
  const bench = await setBench(t)
  bench.write(files)
  bench.git(['add', '-f', '.'])
  bench.git(['commit', '-qm', 'conventions'])
  await bench.session('s1', { A: 'src/app.py' })
  await bench.run('openSession', { sessionId: 's1' })
  const asked = { names: NAMES, files: ['web/cart/total.ts'], ...request }
  return ((await loadConventions(bench.workspace('s1'), asked)) ?? '').split('\n\n')
}

test('those of the folders above an issue follow those of the root, and none from elsewhere', async (t) => {
  const all = await conventionsOf(t, {
    'AGENTS.md': 'For all.',
    'web/CLAUDE.md': 'For the web.',
    'web/cart/AGENTS.md': 'For the cart.',
    'docs/CLAUDE.md': 'For documents.',
    'docs/style.md': 'Style.',
  })
  assert.deepEqual(all, ['AGENTS.md:\nFor all.', 'web/CLAUDE.md:\nFor the web.', 'web/cart/AGENTS.md:\nFor the cart.'])
})

test('the setting names other files, also by their path', async (t) => {
  const files = { 'CLAUDE.md': 'no', 'docs/style.md': 'Style.', 'web/STYLE.md': 'For the web.' }
  const names = ['STYLE.md', 'docs/style.md']
  assert.deepEqual(await conventionsOf(t, files, { names }), ['docs/style.md:\nStyle.', 'web/STYLE.md:\nFor the web.'])
  assert.deepEqual(await conventionsOf(t, files, { names: [] }), [''])
})

test('what they import is shown after them, from inside the repository and up to a depth, each once', async (t) => {
  const all = await conventionsOf(t, {
    'CLAUDE.md': 'See @docs/one.md, @/etc/passwd and @../../../etc/passwd.',
    'web/CLAUDE.md': 'See @../docs/one.md and @local.md',
    'web/local.md': 'Local.',
    'docs/one.md': 'One: @two.md',
    'docs/two.md': 'Two: @three.md @one.md',
    'docs/three.md': 'Three: @four.md',
    'docs/four.md': 'Four.',
  })
  assert.deepEqual(
    all.map((text) => text.split(':')[0]),
    [
      'CLAUDE.md',
      'web/CLAUDE.md',
      'docs/one.md (imported by web/CLAUDE.md)',
      'web/local.md (imported by web/CLAUDE.md)',
      'docs/two.md (imported by docs/one.md)',
      'docs/three.md (imported by docs/two.md)',
    ],
  )
})

test('a hundred imports cost no more than twenty', async (t) => {
  const names = Array.from({ length: 100 }, (_, index) => `docs/part-${index}.md`)
  const parts = Object.fromEntries(names.map((name) => [name, `Part ${name}.`]))
  const all = await conventionsOf(t, { 'CLAUDE.md': names.map((name) => `@${name}`).join('\n'), ...parts })
  assert.equal(all.length, 21)
})
