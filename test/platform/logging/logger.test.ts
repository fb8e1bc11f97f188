import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createLogger, type Logger, type LoggerOptions } from '../../../src/platform/logging/logger.ts'
import { createMasking } from '../../../src/platform/masking/mask-secrets.ts'
import { rotateLog } from '../../../src/runtime/temporal-server/rotate-log.ts'
import { OF_THE_DETECTOR } from '../masking/tokens.ts'

const TOKEN = OF_THE_DETECTOR.github ?? ''
const OWN = 'the-operators-own-words'

interface Log {
  readonly log: Logger
  readonly file: string
  lines(): Promise<readonly Record<string, unknown>[]>
}

function openLog(t: TestContext, masking: LoggerOptions['masking'] = createMasking({ MY_TOKEN: OWN })): Log {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-log-'))
  const file = join(folder, 'instance.log')
  const fd = openSync(file, 'a', 0o600)
  const log = createLogger({ masking, fd })
  t.after(async () => {
    await log.flush()
    closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  return { log, file, lines: async () => parseLines(await log.flush().then(() => readFileSync(file, 'utf8'))) }
}

function parseLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

test('a logger writes a line of JSON for each message, with its level, time, process and fields', async (t) => {
  const { log, lines } = openLog(t)
  log.info('started', { session_id: 's1' })
  log.child({ session_id: 's1', step_id: 's1.i1.b1.fix' }).warn('slow', { duration_ms: 12, codes: ['A'] })
  const [first, second] = await lines()
  const { time, ...rest } = first!
  assert.deepEqual(rest, { level: 'info', pid: process.pid, session_id: 's1', msg: 'started' })
  assert.ok(Math.abs(Date.now() - Date.parse(String(time))) < 60_000)
  const { time: _, pid: __, ...more } = second!
  assert.deepEqual(more, {
    level: 'warn',
    session_id: 's1',
    step_id: 's1.i1.b1.fix',
    duration_ms: 12,
    codes: ['A'],
    msg: 'slow',
  })
})

test('a logger writes no secret, wherever it stands: in a message, a field, or an error with its stack and cause', async (t) => {
  const { log, file, lines } = openLog(t)
  const cause = new Error(`git said ${TOKEN}`)
  log.error('failed', { error: new Error(`push with ${OWN}`, { cause }), deep: [{ url: `https://me:${TOKEN}@host` }] })
  log.info(`about ${TOKEN}`)
  log.child({ header: TOKEN }).debug('child')
  const [failed, about, child] = await lines()
  const { message, stack, cause: said } = failed!.error as { message: string; stack: string; cause: { stack: string } }
  assert.match(message, /^push with «secret:env-my-token:\w{4}»$/)
  assert.match(stack, /push with «secret:[\s\S]*at .*logger\.test\.ts/)
  assert.match(said.stack, /git said «secret:github:\w{4}»/)
  assert.match(String(about?.msg), /^about «secret:github:\w{4}»$/)
  assert.match(String(child?.header), /^«secret:github:\w{4}»$/)
  const text = readFileSync(file, 'utf8')
  assert.ok(!text.includes(TOKEN) && !text.includes(OWN))
})

test('a logger keeps the order of its lines, however long one takes to mask, and the time at which they were said', async (t) => {
  const masked = Promise.withResolvers<void>()
  const maskValues = async <T>(value: T): Promise<T> => {
    if (JSON.stringify(value).includes('first')) await masked.promise
    return value
  }
  const { log, lines } = openLog(t, { maskValues })
  log.info('first')
  log.info('second')
  const said = Date.now()
  while (Date.now() === said) await setImmediate()
  masked.resolve()
  const all = await lines()
  assert.deepEqual(
    all.map(({ msg }) => msg),
    ['first', 'second'],
  )
  assert.ok(Date.parse(String(all[1]?.time)) <= said)
})

test('a logger withholds a line that it can not mask, says so, and goes on', async (t) => {
  const maskValues = async <T>(value: T): Promise<T> => {
    if (JSON.stringify(value).includes('odd')) throw new Error('no')
    return value
  }
  const { log, lines } = openLog(t, { maskValues })
  log.info('odd')
  log.info('even')
  assert.deepEqual(
    (await lines()).map(({ msg }) => msg),
    ['a line is withheld: it could not be masked', 'even'],
  )
})

test('a logger writes any value: what refers to itself, big numbers, functions, dates', async (t) => {
  const { log, lines } = openLog(t)
  const circle: Record<string, unknown> = { big: 2n ** 70n, act: () => 1, at: new Date(0) }
  circle.self = circle
  log.info('odd', { circle })
  const [line] = await lines()
  const { big, act, at } = line!.circle as typeof circle
  assert.deepEqual([big, act, at], ['1180591620717411303424', undefined, '1970-01-01T00:00:00.000Z'])
})

test('a logger goes on in a log that was rotated below it', async (t) => {
  const { log, file, lines } = openLog(t)
  for (let nth = 0; nth < 20; nth++) log.info('before', { nth })
  await log.flush()
  rotateLog(file, 100)
  log.info('after')
  assert.deepEqual(
    (await lines()).map(({ msg }) => msg),
    ['after'],
  )
  assert.equal(parseLines(readFileSync(`${file}.1`, 'utf8')).length, 20)
})

test('a logger takes only constant messages for warnings and errors', (t) => {
  const { log } = openLog(t)
  const name: string = 'x'
  log.warn('constant')
  // @ts-expect-error: it varies
  log.warn(name)
  // @ts-expect-error: a part of it varies
  log.error(`about ${name}`)
})
