import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseResetTime } from '../../../src/agents/provider/reset-time.ts'

const now = Date.parse('2026-07-24T12:00:00Z')

const said: readonly (readonly [text: string, iso: string])[] = [
  ['Claude AI usage limit reached|1784900000', new Date(1_784_900_000_000).toISOString()],
  [
    'API Error: Request rejected (429) · Claude AI usage limit reached|1784900000',
    new Date(1_784_900_000_000).toISOString(),
  ],
  ["You've hit your limit · resets 1:30am (Asia/Dhaka)", '2026-07-24T19:30:00.000Z'],
  ["You've hit your session limit · resets 3pm (America/Bogota)", '2026-07-24T20:00:00.000Z'],
  ["You've hit your session limit · resets 8:30pm (Asia/Tokyo)", '2026-07-24T11:30:00.000Z'],
  ["You've hit your weekly limit · resets Jul 27 at 4:30am (Asia/Calcutta)", '2026-07-26T23:00:00.000Z'],
  ["You've hit your 5-hour limit · resets Mar 17, 2030, 5:46pm (UTC)", '2030-03-17T17:46:00.000Z'],
  ['Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5).', '2026-07-24T18:00:00.000Z'],
  ['5-hour limit reached ∙ resets 12am (UTC)', '2026-07-25T00:00:00.000Z'],
  ['resets 12:05pm (UTC)', '2026-07-24T12:05:00.000Z'],
  ['resets Feb 3 at 10am (UTC)', '2026-02-03T10:00:00.000Z'],
  ['You exceeded your current quota.\nSuggested retry after 60s.', '2026-07-24T12:01:00.000Z'],
  ['Please retry in 17.5s.', '2026-07-24T12:00:17.500Z'],
  ['You have exhausted your capacity on this model. Your quota will reset after 3h20m11s.', '2026-07-24T15:20:11.000Z'],
]

for (const [text, iso] of said) {
  test(`"${text.slice(0, 70)}" is ${iso}`, () => {
    assert.equal(new Date(parseResetTime(text, now) ?? Number.NaN).toISOString(), iso)
  })
}

test('a day without a year that is long past is next year', () => {
  const late = Date.parse('2026-12-30T12:00:00Z')
  assert.equal(parseResetTime('resets Jan 2 at 10am (UTC)', late), Date.parse('2027-01-02T10:00:00Z'))
})

test('a time of day that passed hours ago is tomorrow, one that has just passed is now', () => {
  assert.equal(parseResetTime('resets 9am (UTC)', now), Date.parse('2026-07-25T09:00:00Z'))
  assert.equal(parseResetTime('resets 11:50am (UTC)', now), Date.parse('2026-07-24T11:50:00Z'))
})

test('a time at a change of the clocks is that of the zone on that day', () => {
  const before = Date.parse('2026-10-24T12:00:00Z')
  assert.equal(parseResetTime('resets Oct 25 at 5am (Europe/Berlin)', before), Date.parse('2026-10-25T04:00:00Z'))
})

test('an unknown zone is read as the zone of this host, and no time at all is no time', () => {
  assert.equal(typeof parseResetTime('resets 3pm (Nowhere/Else)', now), 'number')
  for (const text of ['', 'rate limit', 'resets soon', 'The tests reset after each run', 'resets Foo 3 at 10am'])
    assert.equal(parseResetTime(text, now), undefined)
})
