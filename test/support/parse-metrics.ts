// Reads Prometheus' text format as strictly as Prometheus does what we write of it.
import assert from 'node:assert/strict'

const SAMPLE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? ([-+.\deE]+|NaN|[+-]Inf)$/

/** Values by name and labels, as they are written. */
export function parseMetrics(text: string): Map<string, number> {
  const types = new Map<string, string>()
  const values = new Map<string, number>()
  assert.ok(text.endsWith('\n'))
  for (const line of text.split('\n').slice(0, -1)) {
    const [, typed, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (typed !== undefined && type !== undefined) {
      assert.ok(!types.has(typed), `${typed} has two types`)
      types.set(typed, type)
    }
    if (line.startsWith('#')) continue
    const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? []
    assert.notEqual(value, undefined, `no sample: ${line}`)
    const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
    assert.ok(types.has(family), `${name} has no type`)
    assert.ok(!values.has(name + labels), `${name}${labels} stands there twice`)
    values.set(name + labels, Number(value))
  }
  return values
}
