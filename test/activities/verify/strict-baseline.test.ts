// Checks that all have to pass, batches that are each committed by themselves, and a base that is red: told before a fixer is paid.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { DEFAULTS, setBench, verifiedBy } from '../support.ts'

const RUN = randomUUID()
const TWO_BATCHES = { A: 'src/app.py', B: 'web/page.ts' }

test('what fails on the base is told where strict will fail every batch for it, and only there', async (t) => {
  const bench = await setBench(t)
  const warnings = async (name: string, files: Readonly<Record<string, string>>, settings: object): Promise<string> => {
    const id = `${name}-${RUN}`
    await bench.session(id, files, settings)
    const { base: head } = await bench.run('openSession', { sessionId: id })
    await bench.run('verifyBaseline', { sessionId: id, stepId: 'base', head })
    const logged = (await bench.store.events.listAfter(id)).filter((event) => event.type === 'fix_log')
    return logged
      .filter(({ data }) => data.level !== 'note')
      .map(({ message }) => message)
      .join('\n')
  }
  const strict = verifiedBy(['true', 'test -f never'], { strict: true })
  assert.equal(
    await warnings('red', TWO_BATCHES, strict),
    'what fails on the untouched base (test -f never) matters: no fix passes but in a batch that makes every check green by itself: verification is strict, and each of the 2 batches is committed by itself (the profiles verify and sequential commit them together)',
  )
  assert.equal(await warnings('one-batch', { A: 'src/app.py' }, strict), '')
  assert.equal(await warnings('green', TWO_BATCHES, verifiedBy(['true'], { strict: true })), '')
  assert.equal(await warnings('not-strict', TWO_BATCHES, verifiedBy(['test -f never'])), '')
  assert.equal(await warnings('together', TWO_BATCHES, { ...strict, profile: 'sequential' }), '')
  assert.match(
    await warnings('missing', TWO_BATCHES, verifiedBy(['true', 'no-such-program --check'])),
    /^a program is missing \(exit status 127\), so this checks nothing: no-such-program --check \(.*--setup/,
  )
  assert.equal(DEFAULTS.profile, 'batched')
})
