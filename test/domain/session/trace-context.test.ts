import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChildTrace, parseTraceparent } from '../../../src/domain/session/trace-context.ts'

const [TRACE, SPAN] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']

test('a traceparent is read as the standard has it, and anything else begins a trace', () => {
  const read = { trace_id: TRACE, span_id: SPAN, sampled: true }
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-01`), read)
  assert.deepEqual(parseTraceparent(`cc-${TRACE}-${SPAN}-03-more`), read)
  assert.equal(parseTraceparent(`00-${TRACE}-${SPAN}-02`)?.sampled, false)
  for (const wrong of [
    undefined,
    '',
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}`,
  ])
    assert.equal(parseTraceparent(wrong), undefined, `${wrong}`)
  const child = createChildTrace(parseTraceparent(`00-${TRACE}-${SPAN}-00`))
  assert.deepEqual([child.trace_id, child.parent_span_id, child.sampled], [TRACE, SPAN, false])
  assert.match(createChildTrace(undefined).trace_id, /^[0-9a-f]{32}$/)
})
