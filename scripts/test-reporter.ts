// What `npm test` prints: a line for each file, a failure in full when it happens and by name at the end, then the runner's own summary.
// Node's `dot` hides which test is meant, and `spec` buries it under the hundreds that passed.
import { relative, resolve } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

type Completed = Extract<TestEvent, { type: 'test:complete' }>['data']
type Summary = Extract<TestEvent, { type: 'test:summary' }>['data']

/** What a file wrote, shown only if the file fails. */
const outputs = new Map<string, string>()
const failures: string[] = []
const summary: string[] = []

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') keepOutput(resolve(data.file), data.message)
    if (type === 'test:complete' && !data.details.passed) yield failed(data)
    if (type === 'test:summary' && data.file !== undefined) yield fileLine(data.file, data)
    if (type === 'test:interrupted') yield `✖ interrupted while these ran: ${data.tests.map(place).join(', ')}\n`
    if (type === 'test:diagnostic' && data.nesting === 0 && data.file === undefined) summary.push(data.message)
    // What a test measured.
    if (type === 'test:diagnostic' && data.file !== undefined) yield `ℹ ${shown(data.file)}: ${data.message}\n`
  }
  yield '\n'
  for (const failure of failures) yield `✖ ${failure}\n`
  for (const line of summary) yield `ℹ ${line}\n`
}

function failed(test: Completed): string {
  const { error } = test.details
  const failure = error as { failureType?: string; cause?: unknown } | undefined
  const isFile = test.entryFile === undefined
  const output = isFile ? (outputs.get(test.file ?? '') ?? '') : ''
  if (failure?.failureType === 'subtestsFailed') return output
  failures.push(`${place(test)} ${isFile ? '' : test.name}`.trimEnd())
  const cause = failure?.cause
  const reason =
    cause instanceof Error || (typeof cause === 'object' && cause) ? inspect(cause, { depth: 6 }) : `${cause}`
  return `✖ ${place(test)} ${test.name}\n${indented(`${reason}\n${output}`)}\n`
}

function fileLine(file: string, { success, counts, duration_ms }: Summary): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
  return `${success ? '✔' : '✖'} ${shown(file)} (${counts.tests} tests${skipped}, ${(duration_ms / 1000).toFixed(1)} s)\n`
}

function keepOutput(file: string, message: string): void {
  outputs.set(file, (outputs.get(file) ?? '') + message)
}

function place(test: { file?: string | undefined; line?: number | undefined }): string {
  return `${shown(test.file ?? '')}:${test.line ?? 1}`
}

function shown(file: string): string {
  return relative(process.cwd(), file)
}

function indented(text: string): string {
  const frames = /^ +at .*\(?node:(internal|async_hooks).*\n/gm
  return text.replace(frames, '').trimEnd().replace(/^/gm, '    ')
}
