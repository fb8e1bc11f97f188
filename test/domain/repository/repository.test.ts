import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RepositoryName, suggestRepositoryName, toRepositoryId } from '../../../src/domain/repository/repository.ts'

test('whatever a folder is called, its repository gets a name that is allowed and free', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (folder, others) => {
      const first = suggestRepositoryName(`/srv/${folder}`, others)
      const taken = [...others, first.toUpperCase()]
      const second = suggestRepositoryName(`/srv/${folder}`, taken)
      for (const name of [first, second]) assert.equal(RepositoryName.safeParse(name).success, true, name)
      assert.ok(!taken.some((name) => name.toLowerCase() === second.toLowerCase()))
    }),
  )
})

test('the id of a repository is no name for another', () => {
  assert.equal(RepositoryName.safeParse(toRepositoryId(new Uint8Array(8))).success, false)
  assert.equal(suggestRepositoryName('/srv/repo-0000000000000000', []), 'repository')
})
