// Loaded into a process before its program: writes down each timer of less than a tenth of a second, with its place.
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import promises from 'node:timers/promises'

const SHORT_MS = 100
const file = process.env.FIXWRIGHT_TEST_TIMERS ?? ''

function record(ms: number | undefined): void {
  if (ms !== undefined && ms >= SHORT_MS) return
  const place = new Error().stack?.split('\n').slice(3, 6).join(' < ').replaceAll(/ +/g, ' ')
  appendFileSync(file, `${process.pid} ${ms}${place}\n`)
}

function replace<Real extends object>(real: Real, own: Real): Real {
  return Object.defineProperties(own, Object.getOwnPropertyDescriptors(real))
}

appendFileSync(file, `${process.pid} is recorded\n`)
const [realTimeout, realInterval, realDelay] = [setTimeout, setInterval, promises.setTimeout]
globalThis.setTimeout = timers.setTimeout = replace(realTimeout, ((work: () => void, ms?: number, ...more: []) => {
  record(ms)
  return realTimeout(work, ms, ...more)
}) as typeof setTimeout)
globalThis.setInterval = timers.setInterval = replace(realInterval, ((work: () => void, ms?: number, ...more: []) => {
  const fire = () => {
    record(ms)
    work()
  }
  return realInterval(fire, ms, ...more)
}) as typeof setInterval)
promises.setTimeout = replace(realDelay, ((ms?: number, ...more: []) => {
  record(ms)
  return realDelay(ms, ...more)
}) as typeof realDelay)
syncBuiltinESMExports()
