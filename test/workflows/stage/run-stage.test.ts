// What a stage does with its ports, scenario by scenario. The world is fake, the rules are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CallFailure, CONSEQUENCES } from '../../../src/domain/session/failure.ts'
import { type FixerDoes, fileOf, mark, play, type Script, stageOf, type World } from '../../support/fake-ports.ts'
import { statuses } from '../../support/stage-scripts.ts'

type Grade = number | CallFailure | 'nothing' | `${number} broken` | `${number} !`

const CRASH: CallFailure = { class: 'no_usable_work', reason: 'crash', detail: 'claude ended with status 1' }
const TIMEOUT: CallFailure = { class: 'no_usable_work', reason: 'timeout', detail: 'ran out of time after 900 s' }
const LIMIT: CallFailure = { class: 'limit', reason: 'rate_limit', detail: 'rate limit of the provider' }
const BILLING: CallFailure = { class: 'billing', detail: 'credit balance is too low' }

/** How good each issue's fix is, turn by turn of that issue, in its own file; a failure fails the whole call. */
function grades(table: Readonly<Record<string, readonly Grade[]>>, more: Omit<Script, 'fixer'> = {}): Script {
  const turns = new Map<string, number>()
  return {
    ...more,
    fixer: ({ codes, files }) => {
      const write: Record<string, string | undefined> = {}
      let failure: CallFailure | undefined
      for (const code of codes) {
        const turn = turns.get(code) ?? 0
        turns.set(code, turn + 1)
        const grade = table[code]?.[turn] ?? 'nothing'
        if (typeof grade === 'object') failure = grade
        else if (grade !== 'nothing') write[fileOf(code)] = textFor(code, grade, files[fileOf(code)])
      }
      return failure ? { failure } : { write }
    },
  }
}

function textFor(code: string, grade: number | string, before?: string): string {
  const [score, word] = String(grade).split(' ')
  return mark(before, code, Number(score), word === '!' ? `${code}!` : word)
}

function turns(
  ...does: readonly (FixerDoes | ((files: Readonly<Record<string, string>>) => FixerDoes))[]
): Script['fixer'] {
  return ({ turn, files }) => {
    const now = does[turn] ?? {}
    return typeof now === 'function' ? now(files) : now
  }
}

function story({ seen }: World): string[] {
  return seen.map(({ call, codes }) => (codes.length > 0 ? `${call} ${codes.join('')}` : call))
}

test('a stage whose issues pass at once is committed after one round, without another word [S0-13]', async () => {
  const world = await play(stageOf('AB'), grades({ A: [95], B: [97] }))
  assert.deepEqual(story(world), ['s1.i1.b1.fix AB', 's1.i1.verify AB', 's1.i1.challenge AB', 's1.commit AB'])
  assert.deepEqual(world.result, {
    head: 'sha1',
    commits: ['sha1'],
    stop: undefined,
    outcomes: {
      A: { status: 'resolved', reason: '', iterations: 1, score: 95, commit: 'sha1' },
      B: { status: 'resolved', reason: '', iterations: 1, score: 97, commit: 'sha1' },
    },
  })
  assert.equal(world.commits[0]?.challenge, 's1.i1.challenge')
})

test('an issue below 90 is fixed again, from the tree that holds the work so far, with what the gates said [S2-14]', async () => {
  const world = await play(stageOf('AB'), grades({ A: [96], B: [60, 97] }))
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'resolved' })
  const again = world.seen.find(({ call }) => call === 's1.i2.b1.fix')
  assert.deepEqual(again?.codes, ['B'])
  assert.deepEqual(again?.picks, [{ snapshot: 's1.i1.b1.fix', codes: ['A', 'B'] }])
  assert.equal(world.result.outcomes.A?.iterations, 1)
  assert.equal(world.result.outcomes.B?.iterations, 2)
})

test('issues below 95 go round again when all are at 90 or more, and what they gain is taken [S2-26]', async () => {
  const world = await play(stageOf('AB'), grades({ A: [97], B: [91, 96] }))
  assert.deepEqual(world.seen.find(({ call }) => call === 's1.i2.b1.fix')?.codes, ['B'])
  assert.equal(world.result.outcomes.B?.score, 96)
})

test('90 is enough in the end: satisfaction only asks for another round', async () => {
  const world = await play(stageOf('A'), grades({ A: [91, 92] }))
  assert.deepEqual(statuses(world), { A: 'resolved' })
  assert.equal(world.result.outcomes.A?.score, 92)
})

test('a worse second attempt never replaces the first', async () => {
  const world = await play(stageOf('A'), grades({ A: [92, 40] }))
  assert.deepEqual(story(world).at(-1), 's1.commit A')
  assert.equal(world.commits[0]?.files['a.py'], 'A=92')
  assert.equal(world.result.outcomes.A?.score, 92)
  const gates = world.seen.filter(({ kind }) => kind === 'challenge').length
  assert.equal(gates, 2, 'the first tree keeps its verdict: nobody is asked about it again')
})

test('what a round leaves alone is not judged again because its score moved a little', async () => {
  // A is carried through the second round; the challenger now likes it less, but the tree is the same.
  const world = await play(stageOf('AB'), {
    fixer: turns(
      { write: { 'a.py': 'A=97', 'b.py': 'B=60' } },
      { write: { 'b.py': 'B=91', 'other.txt': 'A=93' }, claims: { B: ['b.py', 'other.txt'] } },
    ),
  })
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'resolved' })
  assert.equal(story(world).at(-2), 's1.i2.challenge AB')
})

test('an issue that never passes is taken back; what is left is judged again as what it is, and committed [C3]', async () => {
  const world = await play(stageOf('AB'), grades({ A: [96], B: [60, 70] }))
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'failed' })
  assert.equal(world.result.outcomes.B?.reason, 'scored 70, below 90')
  assert.deepEqual(story(world).slice(-3), ['s1.select1.verify A', 's1.select1.challenge A', 's1.commit A'])
  assert.deepEqual(world.commits[0]?.files, { 'readme.md': 'hello', 'a.py': 'A=96' })
})

test('an issue that another fix made worse is taken back, although nobody touched its file', async () => {
  const world = await play(stageOf('AB'), {
    fixer: turns({ write: { 'a.py': 'A=80', 'b.py': 'B=96' } }, { write: { 'a.py': 'A=97 B=85' } }),
  })
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'failed' })
  assert.equal(world.result.outcomes.B?.reason, 'scored 85, below 90')
  assert.equal(world.commits[0]?.files['b.py'], undefined)
})

test('an open blocker sends an issue round again whatever its score, and keeps it from being committed', async () => {
  const world = await play(stageOf('A'), grades({ A: ['99 !', '98 !'] }))
  assert.equal(world.seen.filter(({ kind }) => kind === 'fix').length, 2)
  assert.deepEqual(statuses(world), { A: 'failed' })
  assert.match(world.result.outcomes.A?.reason ?? '', /1 open blocker/)
})

test('a solved issue in a knot with a failed one is restored with it, and gets one extra round alone [C3]', async () => {
  const shared = { write: { 'shared.py': 'A=96 B=50' }, claims: { A: ['shared.py'], B: ['shared.py'] } }
  const world = await play(stageOf('AB'), {
    fixer: turns(shared, { ...shared, write: { 'shared.py': 'A=96 B=55' } }, { write: { 'a.py': 'A=97' } }),
  })
  const extra = world.seen.find(({ call }) => call === 's1.extra.b1.fix')
  assert.deepEqual(extra?.codes, ['A'])
  assert.deepEqual(extra?.picks, [], 'the knot is restored: nothing of it is left to start from')
  assert.equal(extra?.iteration, 3)
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'failed' })
  assert.deepEqual(world.commits[0]?.files, { 'readme.md': 'hello', 'a.py': 'A=97' })
})

test('the extra round is the last one: what fails in it has failed, and costs nobody else', async () => {
  const world = await play(stageOf('ABC'), {
    fixer: turns(
      { write: { 'shared.py': 'A=96 B=50', 'c.py': 'C=97' }, claims: { A: ['shared.py'], B: ['shared.py'] } },
      {},
      { write: { 'c.py': 'C=20', 'a.py': 'A=30' }, claims: { A: ['a.py', 'c.py'] } },
    ),
  })
  assert.equal(world.seen.filter(({ kind }) => kind === 'fix').length, 3)
  assert.deepEqual(statuses(world), { A: 'failed', B: 'failed', C: 'resolved' })
  assert.equal(world.commits[0]?.files['c.py'], 'C=97')
})

test('an earlier attempt of its own saves an issue the extra round', async () => {
  // In the first attempt A stands alone and passes; only in the second does B's re-fix touch A's file.
  const world = await play(stageOf('AB'), {
    fixer: turns(
      { write: { 'a.py': 'A=96', 'b.py': 'B=50' } },
      { write: { 'a.py': 'A=95', 'b.py': 'B=60' }, claims: { B: ['a.py', 'b.py'] } },
    ),
  })
  assert.equal(world.seen.filter(({ kind }) => kind === 'fix').length, 2)
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'failed' })
  assert.equal(world.commits[0]?.files['a.py'], 'A=96')
})

test('verification that fails sends all issues round again, and the challenger has its say at once', async () => {
  const world = await play(stageOf('AB'), grades({ A: ['96 broken', 96], B: [97, 98] }))
  assert.deepEqual(story(world).slice(1, 4), ['s1.i1.verify AB', 's1.i1.challenge AB', 's1.i2.b1.fix AB'])
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'resolved' })
})

test('verification that never passes: knots are taken back, lowest score first, until what is left passes', async () => {
  const world = await play(stageOf('ABC'), grades({ A: [92, 92], B: ['94 broken', '94 broken'], C: [97, 98] }))
  assert.deepEqual(story(world).slice(-4), [
    's1.select2.verify BC',
    's1.select3.verify C',
    's1.select3.challenge C',
    's1.commit C',
  ])
  assert.deepEqual(statuses(world), { A: 'failed', B: 'failed', C: 'resolved' })
  assert.match(world.result.outcomes.B?.reason ?? '', /^verification failed: broken: b.py/)
})

test('a profile without a challenger is decided by the verification alone, and needs one that passed', async () => {
  const rules = { challenge: false }
  const passes = await play(stageOf('A'), grades({ A: ['1 broken', 1] }), rules)
  assert.deepEqual(story(passes), [
    's1.i1.b1.fix A',
    's1.i1.verify A',
    's1.i2.b1.fix A',
    's1.i2.verify A',
    's1.commit A',
  ])
  const unverified = await play(stageOf('A'), grades({ A: [1, 2] }), { challenge: false, verify: false })
  assert.deepEqual(statuses(unverified), { A: 'failed' })
  assert.equal(unverified.result.outcomes.A?.reason, 'neither challenged nor verified')
})

test('without a challenger a failed cycle is followed by the next up to the last, also where the checks say the same each time [S4-1, S4-9, S4-13]', async () => {
  const rules = { challenge: false, maxIterations: 3 }
  const cycles = [
    's1.i1.b1.fix A',
    's1.i1.verify A',
    's1.i2.b1.fix A',
    's1.i2.verify A',
    's1.i3.b1.fix A',
    's1.i3.verify A',
  ]
  const never = await play(stageOf('A'), grades({ A: ['1 broken', '2 broken', '3 broken'] }), rules)
  assert.deepEqual(story(never), cycles)
  assert.deepEqual(statuses(never), { A: 'failed' })
  assert.match(never.result.outcomes.A?.reason ?? '', /^verification failed/)
  const once = await play(stageOf('A'), grades({ A: ['1 broken'] }), { ...rules, maxIterations: 1 })
  assert.deepEqual(story(once), cycles.slice(0, 2))
  const crashed = await play(stageOf('A'), grades({ A: [CRASH, 1] }), rules)
  assert.deepEqual(story(crashed), ['s1.i1.b1.fix A', 's1.i2.b1.fix A', 's1.i2.verify A', 's1.commit A'])
})

test('when every call crashes, every issue has failed and nothing is committed or judged [S0-15, S1-8]', async () => {
  const world = await play(stageOf('AB'), grades({ A: [CRASH, CRASH], B: [CRASH, CRASH] }))
  assert.deepEqual(story(world), ['s1.i1.b1.fix AB', 's1.i2.b1.fix AB'])
  assert.deepEqual(statuses(world), { A: 'failed', B: 'failed' })
  assert.equal(world.result.outcomes.A?.failure, 'no_usable_work')
  assert.equal(world.result.outcomes.A?.reason, CRASH.detail)
  assert.equal(world.result.outcomes.A?.iterations, 2)
})

test('a crash of a re-fix leaves the verdict on the tree alone, and the next round tries again', async () => {
  const world = await play(stageOf('A'), grades({ A: [80, CRASH, 96] }), { maxIterations: 3 })
  assert.deepEqual(statuses(world), { A: 'resolved' })
  assert.equal(world.seen.filter(({ kind }) => kind === 'challenge').length, 2)
})

test('a time-out keeps what is there: an issue with a diff goes to the gates, one without has failed [S2-34]', async () => {
  const write = { 'a.py': 'A=96' }
  const world = await play(stageOf('AB'), { fixer: turns({ write, failure: TIMEOUT }, { failure: TIMEOUT }) })
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'failed' })
  assert.equal(world.result.outcomes.B?.reason, TIMEOUT.detail)
})

test('an issue that its fixer did not change at all says so', async () => {
  const world = await play(stageOf('AB'), grades({ A: [96], B: [] }))
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'failed' })
  assert.equal(world.result.outcomes.B?.reason, 'no changes applied')
})

test('a limit is waited for, costs no iteration, and the call goes on from what is there', async () => {
  const half = { write: { 'a.py': 'A=10' }, failure: { ...LIMIT, until: 500_000 } }
  const world = await play(stageOf('A'), { fixer: turns(half, { failure: LIMIT }, { write: { 'a.py': 'A=96' } }) })
  assert.deepEqual(story(world).slice(0, 5), [
    's1.i1.b1.fix A',
    's1.i1.b1.fix.wait1',
    's1.i1.b1.fix.w2 A',
    's1.i1.b1.fix.wait2',
    's1.i1.b1.fix.w3 A',
  ])
  assert.deepEqual(world.seen[2]?.picks, [{ snapshot: 's1.i1.b1.fix', codes: ['A'] }])
  assert.deepEqual([world.seen[1]?.why, world.seen[1]?.waitsFor], [LIMIT.detail, 'limit'])
  assert.equal(world.result.outcomes.A?.iterations, 1)
  assert.deepEqual(statuses(world), { A: 'resolved' })
})

test('a limit that lasts longer than the bound ends the session, with the issues open', async () => {
  const script = { fixer: () => ({ failure: LIMIT }) }
  const world = await play(stageOf('A'), script, { clocks: { giveUpAfterSeconds: 600 } })
  assert.equal(world.result.stop?.class, 'limit')
  assert.match(world.result.stop?.detail ?? '', /gave up waiting/)
  assert.deepEqual(statuses(world), { A: 'open' })
  assert.equal(world.result.outcomes.A?.iterations, 0)
  assert.equal(
    world.seen.filter(({ kind }) => kind === 'wait').length,
    3,
    '60 s, 120 s, 240 s, and 480 would be too long',
  )
})

test('out of credit in the first round: nothing is committed, everything is open [S2-33]', async () => {
  const world = await play(stageOf('A', 'B'), grades({ A: [97], B: [BILLING] }))
  assert.deepEqual(world.result.stop, { class: 'billing', detail: BILLING.detail })
  assert.deepEqual(statuses(world), { A: 'open', B: 'open' })
  assert.equal(world.commits.length, 0)
})

test('out of credit in a later round: what has passed is committed first, the rest is open [S2-33]', async () => {
  const world = await play(stageOf('AB'), grades({ A: [97], B: [60, BILLING] }))
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'open' })
  assert.equal(world.result.stop?.class, 'billing')
  assert.equal(world.result.outcomes.B?.reason, BILLING.detail)
})

test('the challenger out of credit is not asked again, and what had passed before is committed as it was', async () => {
  const challenger = (turn: number) => (turn === 1 ? { failure: BILLING } : undefined)
  const world = await play(stageOf('AB'), grades({ A: [91, 96], B: [92, 50] }, { challenger }))
  assert.equal(world.seen.filter(({ kind }) => kind === 'challenge').length, 2)
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'resolved' })
  assert.equal(world.commits[0]?.files['a.py'], 'A=91')
  assert.equal(world.result.stop?.class, 'billing')
})

test('what was never judged as it is stays uncommitted when the challenger is gone', async () => {
  const challenger = (turn: number) => (turn === 1 ? { failure: BILLING } : undefined)
  const world = await play(stageOf('AB'), grades({ A: [97], B: [60, 70] }, { challenger }))
  assert.equal(story(world).at(-1), 's1.i2.challenge AB', 'nobody is asked after that')
  assert.deepEqual(statuses(world), { A: 'open', B: 'open' })
})

test('a stop leaves no time for an extra round', async () => {
  const world = await play(stageOf('AB'), {
    fixer: turns(
      { write: { 'shared.py': 'A=96 B=50' }, claims: { A: ['shared.py'], B: ['shared.py'] } },
      { failure: BILLING },
    ),
  })
  assert.equal(story(world).at(-1), 's1.i2.b1.fix B')
})

test('a stop while what is left is judged again is passed on, with the issues open', async () => {
  const challenger = (turn: number) => (turn === 2 ? { failure: BILLING } : undefined)
  const world = await play(stageOf('AB'), grades({ A: [97], B: [60, 50] }, { challenger }))
  assert.equal(world.result.stop?.class, 'billing')
  assert.deepEqual(statuses(world), { A: 'open', B: 'open' })
})

test('a stop in the extra round does not cost what was safe before it', async () => {
  const world = await play(stageOf('ABC'), {
    fixer: turns(
      { write: { 'shared.py': 'A=96 B=50', 'c.py': 'C=97' }, claims: { A: ['shared.py'], B: ['shared.py'] } },
      {},
      { failure: BILLING },
    ),
  })
  assert.deepEqual(statuses(world), { A: 'open', B: 'open', C: 'resolved' })
})

test('a challenger without a usable verdict: the issue ends as not challenged, which is not approved', async () => {
  const challenger = () => ({ misses: ['A'] })
  const world = await play(stageOf('AB'), grades({ A: [99], B: [97] }, { challenger }))
  assert.deepEqual(statuses(world), { A: 'failed', B: 'resolved' })
  assert.match(world.result.outcomes.A?.reason ?? '', /^not_challenged/)
  assert.deepEqual(world.seen.filter(({ kind }) => kind === 'fix').length, 1, 'no further round for anybody')
  assert.equal(world.commits[0]?.files['a.py'], undefined)
})

test('who leaves the scope ends with its whole knot; the others go on, and what passed before still counts [S2-31]', async () => {
  const world = await play(stageOf('ABC'), {
    fixer: turns(
      {
        write: { 'a.py': 'A=60', 'shared.py': 'A=60 B=97', 'protected/x': 'mine', 'c.py': 'C=60' },
        claims: { A: ['shared.py', 'protected/x'], B: ['shared.py'] },
      },
      { write: { 'c.py': 'C=98' } },
    ),
  })
  assert.deepEqual(statuses(world), { A: 'failed', B: 'failed', C: 'resolved' })
  assert.match(world.result.outcomes.B?.reason ?? '', /touched what it may not: protected\/x/)
  assert.deepEqual(
    world.seen.filter(({ kind }) => kind === 'fix').map(({ codes }) => codes),
    [['A', 'B', 'C'], ['C']],
  )
  assert.deepEqual(world.commits[0]?.files, { 'readme.md': 'hello', 'c.py': 'C=98' })

  const later = await play(stageOf('AB'), {
    fixer: turns(
      { write: { 'a.py': 'A=92', 'b.py': 'B=97' } },
      { write: { 'a.py': 'A=99', 'protected/x': 'mine' }, claims: { A: ['protected/x'] } },
    ),
  })
  assert.deepEqual(statuses(later), { A: 'resolved', B: 'resolved' })
  assert.deepEqual(later.commits[0]?.files, { 'readme.md': 'hello', 'a.py': 'A=92', 'b.py': 'B=97' })
})

test('sequential: one round of all batches, one score for the whole diff, and all go again below it [S0-12, S0-13]', async () => {
  const rules = { requiresWholeDiffScore: true, maxIterations: 3 }
  const challenger = (turn: number) => ({ whole: [80, 96][turn] ?? 0 })
  const world = await play(stageOf('AB', 'C'), grades({ A: [96, 97], B: [91, 92], C: [97, 98] }, { challenger }), rules)
  assert.deepEqual(story(world), [
    's1.i1.b1.fix AB',
    's1.i1.b2.fix C',
    's1.i1.verify ABC',
    's1.i1.challenge ABC',
    's1.i2.b1.fix AB',
    's1.i2.b2.fix C',
    's1.i2.verify ABC',
    's1.i2.challenge ABC',
    's1.commit ABC',
  ])
})

test('sequential: a whole diff that stays below the threshold commits nothing, not even a part [S0-13]', async () => {
  const challenger = () => ({ whole: 90 })
  const world = await play(stageOf('AB'), grades({ A: [96, 97], B: [50, 51] }, { challenger }), {
    requiresWholeDiffScore: true,
  })
  assert.equal(world.commits.length, 0)
  assert.equal(world.seen.filter(({ kind }) => kind === 'challenge').length, 2)
  assert.equal(world.result.outcomes.A?.reason, 'the whole diff scored 90, below 95')
  assert.deepEqual(statuses(world), { A: 'failed', B: 'failed' })
})

test('the same words twice and no gain: the stage has stalled and ends before its iterations do', async () => {
  const challenger = () => ({ feedback: 'still wrong' })
  const world = await play(stageOf('A'), grades({ A: [60, 55, 99] }, { challenger }), { maxIterations: 5 })
  assert.equal(world.seen.filter(({ kind }) => kind === 'fix').length, 2)
  assert.deepEqual(statuses(world), { A: 'failed' })
})

test('a re-fix that changes nothing is not judged again, and the stage has stalled', async () => {
  const world = await play(stageOf('A'), grades({ A: [91] }), { maxIterations: 5 })
  assert.deepEqual(story(world), [
    's1.i1.b1.fix A',
    's1.i1.verify A',
    's1.i1.challenge A',
    's1.i2.b1.fix A',
    's1.commit A',
  ])
})

test('a re-fix that changes nothing leaves the issue failed for the reason it had', async () => {
  const world = await play(stageOf('AB'), grades({ A: [60], B: [97] }))
  assert.equal(world.result.outcomes.A?.reason, 'scored 60, below 90')
})

test('a branch that is checked out is waited for, and then the same tree is committed', async () => {
  const branch = [{ checkedOut: '/home/me/app' }, { checkedOut: '/home/me/app' }]
  const world = await play(stageOf('A'), grades({ A: [97] }, { branch }))
  const ending = ['s1.commit A', 's1.commit.wait', 's1.commit2 A', 's1.commit2.wait', 's1.commit3 A']
  assert.deepEqual(story(world).slice(-5), ending)
  const wait = world.seen.find(({ kind }) => kind === 'wait')
  assert.match(wait?.why ?? '', /checked out at \/home\/me\/app/)
  assert.equal(wait?.waitsFor, 'branch')
  assert.deepEqual(statuses(world), { A: 'resolved' })
})

test('a branch that stays checked out ends the session in the end, with the issues open', async () => {
  const branch = Array.from({ length: 100 }, () => ({ checkedOut: '/home/me/app' }))
  const world = await play(stageOf('A'), grades({ A: [97] }, { branch }), { clocks: { giveUpAfterSeconds: 3600 } })
  assert.equal(world.result.stop?.class, 'infrastructure')
  assert.deepEqual(statuses(world), { A: 'open' })
})

test("a person's commit in between: the work is merged onto it, judged as that tree, and committed on top", async () => {
  const world = await play(stageOf('A'), grades({ A: [97] }, { branch: [{ moved: { 'theirs.md': 'x' } }] }))
  assert.deepEqual(story(world).slice(-5), [
    's1.commit A',
    's1.merge1 A',
    's1.merge1.verify A',
    's1.merge1.challenge A',
    's1.commit2 A',
  ])
  assert.equal(world.commits[0]?.head, 'moved0')
  assert.equal(world.commits[0]?.files['theirs.md'], 'x')
  assert.deepEqual(statuses(world), { A: 'resolved' })
})

test("a person's commit that breaks a part of it: that part is taken back", async () => {
  // With their text in the tree, A is worth less.
  const world = await play(
    stageOf('AB'),
    grades({ A: [97], B: [98] }, { branch: [{ moved: { 'theirs.md': 'A=20' } }] }),
  )
  assert.deepEqual(statuses(world), { A: 'failed', B: 'resolved' })
  assert.equal(world.result.outcomes.A?.reason, 'scored 20, below 90')
})

test('a stop while a merged tree is judged ends the session, with the issues open', async () => {
  const challenger = (turn: number) => (turn === 1 ? { failure: BILLING } : undefined)
  const world = await play(stageOf('A'), grades({ A: [97] }, { challenger, branch: [{ moved: { 'theirs.md': 'x' } }] }))
  assert.equal(world.result.stop?.class, 'billing')
  assert.deepEqual(statuses(world), { A: 'open' })
})

test("a conflict with a person's commit fails the issues with that reason, and the next stage stands on that commit", async () => {
  const world = await play(stageOf('A'), grades({ A: [97] }, { branch: [{ moved: { 'a.py': 'theirs' } }] }))
  assert.deepEqual(statuses(world), { A: 'failed' })
  assert.equal(world.result.outcomes.A?.reason, 'conflicts with a commit made on the branch meanwhile, in a.py')
  assert.equal(world.result.head, 'moved0')
})

test('a person who made the same changes leaves nothing to commit, and the issue says so', async () => {
  const world = await play(stageOf('A'), grades({ A: [97] }, { branch: [{ moved: { 'a.py': 'A=97' } }] }))
  assert.equal(world.result.outcomes.A?.reason, 'the branch holds these changes already')
  assert.deepEqual(statuses(world), { A: 'failed' })
})

test('a cancellation passes through: nothing is committed on the way out', async () => {
  const cancelled = new Error('cancelled')
  const fixer = () => {
    throw cancelled
  }
  await assert.rejects(play(stageOf('A'), { fixer }), cancelled)
})

test('what an issue becomes agrees with the one table of consequences', async () => {
  for (const failure of [CRASH, BILLING, { class: 'access', detail: 'no key' } as const]) {
    const world = await play(stageOf('A'), { fixer: () => ({ failure }) })
    assert.equal(world.result.outcomes.A?.status, CONSEQUENCES[failure.class].issue)
  }
})

test('each issue is resolved by the commit that names it, and the next stage begins on the last one', async () => {
  const split = (codes: readonly string[]) => codes.map((code) => ({ sha: `sha-${code}`, codes: [code] }))
  const world = await play(stageOf('BA'), { ...grades({ A: [95], B: [97] }), split })
  assert.deepEqual(
    [world.result.head, world.result.commits, world.result.outcomes.A?.commit, world.result.outcomes.B?.commit],
    ['sha-A', ['sha-B', 'sha-A'], 'sha-A', 'sha-B'],
  )
})
