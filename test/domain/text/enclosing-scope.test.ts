// The function around changed lines, in languages of several families.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findEnclosingScope } from '../../../src/domain/text/enclosing-scope.ts'

const CASES: readonly (readonly [
  title: string,
  code: string,
  expected: readonly [from: number, to: number, name: string],
])[] = [
  [
    'Python',
    'class B:\n    def a(self):\n        return 1\n\n    def total(self):\n        if x:\n            return 2 #!\n        return 3\n\nx = 1\n',
    [5, 8, 'total'],
  ],
  ['a whole Python function', 'def a():\n    return 1\n\ndef b(x): #!\n    return x #!\n\ny = 1\n', [4, 5, 'b']],
  ['a class attribute', 'class B:\n    limit = 3 #!\n\n    def a(self):\n        pass\n', [1, 5, 'B']],
  [
    'JavaScript',
    'function a() {\n}\n\nexport async function total(items) {\n  for (const i of items) {\n    sum += i //!\n  }\n  return sum\n}\n',
    [4, 9, 'total'],
  ],
  [
    'an arrow function',
    'const total = async (items: Item[]): Promise<number> => {\n  return 1 //!\n}\nlet y\n',
    [1, 3, 'total'],
  ],
  ['a method', 'class B {\n  private total(items: Item[]): number {\n    return 1 //!\n  }\n}\n', [2, 4, 'total']],
  ['Go', 'func (b *Basket) Total() int {\n\tif true {\n\t\treturn 1 //!\n\t}\n\treturn 0\n}\n', [1, 6, 'Total']],
  [
    'Java',
    'class B {\n    public static int total(List<Item> items) throws X {\n        return 1; //!\n    }\n}\n',
    [2, 4, 'total'],
  ],
  ['Rust', 'impl B {\n    pub fn total<T>(&self) -> u32 {\n        1 //!\n    }\n}\n', [2, 4, 'total']],
  ['Ruby', 'class B\n  def empty?\n    true #!\n  end\nend\n', [2, 4, 'empty?']],
  ['C', 'static int\nmain(int argc, char **argv)\n{\n    return 1; //!\n}\n', [2, 5, 'main']],
  ['a test', "describe('basket', () => {\n  it('adds', () => {\n    expect(1) //!\n  })\n})\n", [2, 4, 'it']],
]

for (const [title, code, expected] of CASES) {
  test(`${title}: the function is found with its name and its end`, () => {
    const lines = code.split('\n')
    const marked = lines.flatMap((line, index) => (/[#/]!$/.test(line) ? [index + 1] : []))
    const found = findEnclosingScope(lines, Math.min(...marked), Math.max(...marked))
    assert.deepEqual(found && [found.from, found.to, found.name], expected)
  })
}

test('what stands in no function has none', () => {
  assert.equal(findEnclosingScope(['import x', 'y = 1', ''], 2, 2), undefined)
  assert.equal(findEnclosingScope(['{', '  "a": 1,', '  "b": 2', '}'], 2, 2), undefined)
  assert.equal(findEnclosingScope([], 1, 1), undefined)
  assert.equal(findEnclosingScope(['if (x) {', '  y()', '}'], 2, 2), undefined)
})
