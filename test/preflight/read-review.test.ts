// The report of a review, as a person gives it along: what is taken, what is refused, and what a session keeps of it.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openArtifactStore } from '../../src/artifacts/open-artifact-store.ts'
import { parseOrigin } from '../../src/domain/session/origin.ts'
import { listChangedOptions } from '../../src/preflight/answer-without-session.ts'
import type { StartInput } from '../../src/preflight/check-start.ts'
import { MAX_REVIEW_BYTES, readReview } from '../../src/preflight/read-review.ts'
import { OF_THE_DETECTOR } from '../platform/masking/tokens.ts'
import { setDesk } from '../runtime/support.ts'
import { temporaryFolder } from '../store/support.ts'

test('a review is read whole; several are told apart by their names; one without a word is none [S4-2]', async (t) => {
  const folder = temporaryFolder(t)
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const one = file('one.md', '\ufeff# Review\n\nUmlauts: äöü 🙂\n')
  assert.deepEqual(await readReview({ context: [one] }), { text: '# Review\n\nUmlauts: äöü 🙂', problems: [] })
  const two = file('two.md', '# Second')
  const both = await readReview({ context: [one, file('empty.md', ' \n'), two] })
  assert.equal(both.text, 'one.md:\n\n# Review\n\nUmlauts: äöü 🙂\n\ntwo.md:\n\n# Second')
  assert.deepEqual(await readReview({}), { problems: [] })

  const bad = await readReview({
    context: [
      join(folder, 'gone.md'),
      folder,
      file('latin.md', Buffer.from([0x66, 0xfc, 0x72])),
      file('binary.md', 'a\0b'),
      file('long.md', 'x'.repeat(MAX_REVIEW_BYTES + 1)),
      '/dev/zero',
    ],
  })
  assert.equal(bad.text, undefined)
  const [gone = '', directory = '', latin = '', binary = '', long = '', endless = ''] = bad.problems
  assert.match(gone, /gone\.md can't be read: there is no such file$/)
  assert.match(directory, /can't be read: it is a folder, not a file$/)
  assert.match(latin, /latin\.md is no UTF-8 text: give --context a Markdown file/)
  assert.match(binary, /binary\.md is no UTF-8 text/)
  for (const problem of [long, endless])
    assert.match(problem, /would be longer than 1024 KiB: give --context only the part/)
  const half = file('half.md', 'y'.repeat(MAX_REVIEW_BYTES - 100))
  assert.match((await readReview({ context: [half, one, half] })).problems.join(), /together would be longer than/)
})

async function setOriginDesk(t: TestContext) {
  const desk = await setDesk(t)
  return { ...desk, origin: async (more: Partial<StartInput>) => parseOrigin((await desk.ready(more)).session) }
}

test('a session keeps the review without its secrets from its first moment, and another review is other work [S4-2, S4-17]', async (t) => {
  const desk = await setDesk(t)
  const context = [join(desk.home, 'review.md')]
  const secret = OF_THE_DETECTOR.npm ?? ''
  writeFileSync(context[0]!, `# Review\n\nThe token ${secret} stands in the code.\n`)
  const prepared = await desk.ready({ context })
  const artifacts = openArtifactStore(desk.theirs.artifacts)
  const { review: ref = '' } = parseOrigin(prepared.session)
  await assert.rejects(artifacts.getText(ref), /is gone/, 'nothing is written before a session is begun')

  await artifacts.put(prepared.reviewText ?? '')
  await desk.store.createSession(prepared.session, prepared.findings)
  assert.match(await artifacts.getText(ref), /^# Review\n\nThe token «secret:[^»]+» stands in the code\.$/)
  assert.ok((await desk.store.artifacts.listReferencedRefs()).has(ref))
  const again = await desk.ready({ context })
  assert.deepEqual(listChangedOptions({ ...prepared.session }, again.session), [])
  assert.deepEqual(listChangedOptions({ ...prepared.session }, (await desk.ready()).session), ['the review'])
  writeFileSync(context[0]!, '# Another')
  assert.deepEqual(listChangedOptions({ ...prepared.session }, (await desk.ready({ context })).session), ['the review'])
  // One that never started leaves nothing behind.
  assert.equal(await desk.store.sessions.discardUnstarted(prepared.session.session_id), true)
  assert.equal((await desk.store.artifacts.listReferencedRefs()).has(ref), false)

  const refused = await desk.prepare({ context: [join(desk.home, 'gone.md')] })
  assert.ok(refused.kind === 'refused')
  assert.match(refused.problems.join(), /gone\.md can't be read/)
})

test('a session knows what it stands on, and what that was reviewed against [S4-2]', async (t) => {
  const desk = await setOriginDesk(t)
  const main = desk.git(['rev-parse', 'HEAD'])
  assert.deepEqual(await desk.origin({}), { base_name: 'main' })
  desk.git(['checkout', '-q', '-b', 'feature'])
  desk.write({ 'src/app.py': 'def f():\n    return 2\n' })
  desk.git(['commit', '-qam', 'feature'])
  desk.git(['checkout', '-q', 'main'])
  desk.write({ 'README.md': 'main moved on\n' })
  desk.git(['commit', '-qam', 'main moves on'])
  const against = { name: 'main', commit: main }
  assert.deepEqual(await desk.origin({ base: 'feature' }), { base_name: 'feature', against })
  assert.deepEqual(await desk.origin({ base: 'main' }), { base_name: 'main' })
  // Who goes on with a branch of theirs says with --base what it is to be merged into.
  const onto = { branch: 'feature', useExistingBranch: true }
  assert.deepEqual(await desk.origin({ ...onto, base: 'main~1' }), {
    base_name: 'main~1',
    against: { name: 'main~1', commit: main },
  })
})

test('what a review compared with can be named; it has to be there, and to share a commit with the base [S4-2, S4-7]', async (t) => {
  const desk = await setOriginDesk(t)
  const main = desk.git(['rev-parse', 'HEAD'])
  desk.git(['checkout', '-q', '-b', 'release'])
  desk.git(['checkout', '-q', '-b', 'feature'])
  desk.write({ 'src/app.py': 'def f():\n    return 2\n' })
  desk.git(['commit', '-qam', 'feature'])
  desk.git(['checkout', '-q', '--orphan', 'alone'])
  desk.git(['commit', '-qm', 'alone'])
  desk.git(['checkout', '-q', 'feature'])
  const against = { name: 'release', commit: main }
  assert.deepEqual(await desk.origin({ base: 'feature', against: 'release' }), { base_name: 'feature', against })
  const refusals = [
    ['relaese', /has no commit "relaese": give --against the branch or commit that the review compared with/],
    ['alone', /^alone \(--against\) and the base have no commit in common/],
  ] as const
  for (const [name, says] of refusals) {
    const refused = await desk.prepare({ base: 'feature', against: name })
    assert.ok(refused.kind === 'refused' && refused.code === 'branch_unusable')
    assert.match(refused.problems.join(), says)
  }
  // Other work than without it: an earlier result is no answer.
  const [named, plain] = [
    await desk.ready({ base: 'feature', against: 'release' }),
    await desk.ready({ base: 'feature' }),
  ]
  assert.deepEqual(listChangedOptions({ ...plain.session }, named.session), ['against'])
})
