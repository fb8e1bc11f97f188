import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isCoveredByGrant, type OutsideFile, type ScopeDecision } from '../../../src/domain/people/validate-messages.ts'
import { listApprovedFiles, listBarredIssues, listGrantedPaths } from '../../../src/domain/scope/list-approved-files.ts'

const file = (path: string, codes: string, why = 'outside the workspace'): OutsideFile => ({
  path,
  why,
  codes: codes.split(' '),
})
const FILES = [
  file('lib/a.ts', 'A'),
  file('lib/sub/b.ts', 'A B'),
  file('libs/c.ts', 'C'),
  file('lib/CLAUDE.md', 'D', 'outside the workspace, protected'),
]

function come(decision: ScopeDecision | { readonly decision: 'deadline' }) {
  const approved = listApprovedFiles(FILES, decision)
  return { barred: listBarredIssues(FILES, approved), grants: listGrantedPaths(FILES, decision) }
}

describe('a word about files outside of the scope (S2-31)', () => {
  test('without paths is about all of them, each by its name', () => {
    const all = FILES.map(({ path }) => path)
    assert.deepEqual(come({ decision: 'approve', remember: 'repository' }), { barred: [], grants: all })
  })

  test('an issue stays only if everything of it was let through', () => {
    const some = (...paths: string[]) => come({ decision: 'approve', paths, remember: 'session' })
    assert.deepEqual(some('lib/a.ts'), { barred: ['A', 'B', 'C', 'D'], grants: ['lib/a.ts'] })
    assert.deepEqual(some('lib/sub/b.ts').barred, ['A', 'C', 'D'])
    assert.deepEqual(some('lib/', 'libs/c.ts'), { barred: [], grants: ['lib/', 'libs/c.ts', 'lib/CLAUDE.md'] })
    assert.deepEqual(some('lib/a.ts', 'lib/sub/').barred, ['C', 'D'])
  })

  test('a folder is remembered as such, what is protected in it by its name besides, and nothing that was not asked about', () => {
    const { barred, grants } = come({ decision: 'approve', paths: ['lib/', 'other/'], remember: 'session' })
    assert.deepEqual(barred, ['C'])
    assert.deepEqual(grants, ['lib/', 'lib/CLAUDE.md'])
  })

  test('once is not remembered; no and nobody are the same', () => {
    assert.deepEqual(come({ decision: 'approve', remember: 'once' }), { barred: [], grants: [] })
    const none = { barred: ['A', 'B', 'C', 'D'], grants: [] }
    assert.deepEqual(come({ decision: 'reject' }), none)
    assert.deepEqual(come({ decision: 'deadline' }), none)
  })

  test('what is remembered is never wider than what was asked for', () => {
    const path = fc
      .array(fc.constantFrom('a', 'ab', 'b', '.a'), { minLength: 1, maxLength: 3 })
      .map((names) => names.join('/'))
    const asked = fc.array(
      fc.oneof(
        path,
        path.map((each) => `${each}/`),
      ),
      { minLength: 1, maxLength: 3 },
    )
    fc.assert(
      fc.property(fc.uniqueArray(path), asked, path, (paths, word, other) => {
        const files = paths.map((each) => file(each, 'A', each.includes('b') ? 'protected' : undefined))
        const decision = { decision: 'approve', paths: word, remember: 'session' } as const
        const grants = listGrantedPaths(files, decision)
        if (grants.some((grant) => isCoveredByGrant(grant, other)))
          assert.ok(word.some((each) => isCoveredByGrant(each, other)))
        for (const { path: approved } of listApprovedFiles(files, decision)) {
          assert.ok(grants.some((grant) => isCoveredByGrant(grant, approved)))
        }
      }),
    )
  })
})
