// Which guidelines a file's fixer gets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { classifyFile } from '../../../src/domain/issue/code-kind.ts'

const BACKEND = ['py', 'go', 'java', 'rb', 'php', 'rs', 'c', 'cpp', 'h']
const FRONTEND = ['tsx', 'ts', 'jsx', 'js', 'css', 'scss', 'vue', 'svelte', 'html']

for (const extension of BACKEND) {
  test(`.${extension} is backend [S0-4, S2-7]`, () =>
    assert.equal(classifyFile(`src/deep.dir/file.${extension}`), 'backend'))
}

for (const extension of FRONTEND) {
  test(`.${extension} is frontend [S0-4, S2-7]`, () =>
    assert.equal(classifyFile(`src/deep.dir/file.${extension}`), 'frontend'))
}

test('any other extension, none, or no file at all is backend [S0-4]', () => {
  for (const file of [
    'Makefile',
    '',
    'README.md',
    'a.sql',
    'a.mjs',
    'src.ts/main',
    '.ts',
    'dir/.css',
    'a.',
    'a.ts/',
    'ats',
    'a.tsv',
  ]) {
    assert.equal(classifyFile(file), 'backend', file)
  }
})

test('only the last extension of the name decides, in whatever case, never a folder [S0-3]', () => {
  const folders = fc.array(fc.constantFrom('a', 'x.py', 'y.ts', '.git', '..'), { maxLength: 4 })
  const name = fc.constantFrom('main', 'main.test', 'a.py', 'b.ts')
  fc.assert(
    fc.property(
      folders,
      name,
      fc.constantFrom(...BACKEND, ...FRONTEND),
      fc.boolean(),
      (path, stem, extension, upper) => {
        const file = [...path, `${stem}.${upper ? extension.toUpperCase() : extension}`].join('/')
        assert.equal(classifyFile(file), FRONTEND.includes(extension) ? 'frontend' : 'backend')
      },
    ),
  )
})
