// Checks that all have to pass, batches that are each committed by themselves, and a base that is red: told before a fixer is paid.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { DEFAULTS, setBench, verifiedBy } from '../support.ts'

const RUN = randomUUID()
const TWO_BATCHES = { A: 'src/app.py', B: 'web/page.ts' }

async function setWarnings(t: TestContext) {
  const bench = await setBench(t)
  return async (name: string, files: Readonly<Record<string, string>>, settings: object): Promise<string> => {
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
}

test('what fails on the base is told with what strict makes of it', async (t) => {
  const warnings = await setWarnings(t)
  const strict = verifiedBy(['true', 'test -f never'], { strict: true })
  assert.equal(
    await warnings('red', TWO_BATCHES, strict),
    'what fails on the untouched base (test -f never) matters: no fix passes but in a batch that makes every check green by itself: verification is strict, and each of the 2 batches is committed by itself (the profiles verify and sequential commit them together)',
  )
  assert.match(
    await warnings('one-batch', { A: 'src/app.py' }, strict),
    /\(test -f never\) matters: nothing is committed unless the fixes make it green as well: verification is strict/,
  )
  assert.equal(await warnings('green', TWO_BATCHES, verifiedBy(['true'], { strict: true })), '')
  assert.match(
    await warnings('together', TWO_BATCHES, { ...strict, profile: 'sequential' }),
    /nothing is committed unless the fixes make it green as well/,
  )
  assert.equal(DEFAULTS.profile, 'batched')
})

test('a red command of which nothing passes is told, with what follows and what to do', async (t) => {
  const warnings = await setWarnings(t)
  assert.match(
    await warnings('mute', TWO_BATCHES, verifiedBy(['test -f never'])),
    /^what fails on the untouched base \(test -f never\) can't prove a fix that leaves it red: .*every fix stays unproven, and the exit status is 1\. .*TAP.*verification\.reports/,
  )
  assert.match(
    await warnings('beside', TWO_BATCHES, verifiedBy(['true', 'test -f never'], { unproven: 'accept' })),
    /^what fails .* can't prove a fix that leaves it red\. To have/,
  )
  assert.equal(await warnings('summed', TWO_BATCHES, verifiedBy(["echo '1 failed, 2 passed in 0.1s'; exit 1"])), '')
})

test('a command that can’t run on the base refuses the start, unless it is ignored', async (t) => {
  const bench = await setBench(t)
  const command = 'no-such-program --check'
  const verify = async (name: string, ignore_broken: string[]) => {
    const id = `${name}-${RUN}`
    await bench.session(id, TWO_BATCHES, verifiedBy(['true', command], { ignore_broken }))
    const { base: head } = await bench.run('openSession', { sessionId: id })
    return (await bench.run('verifyBaseline', { sessionId: id, stepId: 'base', head })).refusal
  }
  const refusal = await verify('broken', ['another'])
  assert.equal(refusal?.code, 'check_cannot_start')
  assert.match(refusal?.detail ?? '', /^"no-such-program --check" \(.*not found\) can't run on the untouched base/)
  assert.equal(await verify('named', [command]), undefined)
  assert.equal(await verify('all', ['all']), undefined)
})
