// What is read back for a report is fit to be pasted elsewhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMaskedCommit } from '../../../src/app/report/read-evidence.ts'
import { sandbox } from '../../platform/git/support.ts'
import { OF_THE_DETECTOR } from '../../platform/masking/tokens.ts'

test('a commit that takes a secret out, or brings one in, is shown without it [S4-17]', async (t) => {
  const { repository, write, git } = sandbox(t)
  const token = OF_THE_DETECTOR.github ?? ''
  for (const text of [`token = "${token}"\n`, 'token = read()\n']) {
    write({ 'src/app.py': text })
    git(['commit', '-qam', 'change it'])
    const change = await readMaskedCommit(repository, git(['rev-parse', 'HEAD']))
    assert.match(change?.diff ?? '', /^[+-]token = "«secret:github:\w{4}»"$/m)
  }
  assert.equal(await readMaskedCommit(repository, 'f'.repeat(40)), undefined)
})
