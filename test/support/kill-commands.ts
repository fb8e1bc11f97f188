// kill -9 of the worker while it does what comments ask for, at random moments and with random faults of GitHub's. Afterwards there is one
// session, one pull request and one answer for each command.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { type CommandStage, defect, setCommandStage, WEBHOOK_SECRET } from './commands.ts'
import type { PlannedFault } from './github/state.ts'
import { BOB } from './github.ts'
import { checkInvariants } from './invariants.ts'
import { countSteps, FAULTS, type Random, randomFrom, untilStep } from './kill-forge.ts'
import { kill } from './killing.ts'
import { until } from './until.ts'

interface Rounds {
  readonly rounds: number
  readonly seed: number
}

const READS = ['/issues/comments/\\d+$', '/permission$', '/issues/\\d+/comments$', '/pulls/1$', '/pulls$', '']
const WRITES = [
  { method: 'POST', path: '/comments$' },
  { method: 'POST', path: '/reactions$' },
  { method: 'POST', path: '/pulls$' },
  { method: 'PATCH', path: '/issues/comments/\\d+$' },
]
/** So many steps, at most, come before a kill. */
const MOST_STEPS = 16

/** A finding a round, in a file of its own. Each session asks a question, which is answered or skipped in the thread. */
export async function killCommands(t: TestContext, { rounds, seed }: Rounds): Promise<void> {
  const parts = Array.from({ length: rounds }, (_, index) => toPart(index + 1))
  const bed = await setCommandStage(t, {
    files: Object.fromEntries(parts.map(({ file, line }) => [file, `${line}\n`])),
    scenario: {
      clarify: [{ questions: [{ question: 'May the answer change?' }] }],
      votes: {
        claude: { vote: 50, findings: parts.map(({ code, file, line }) => defect(code, file, '1', line)) },
        gemini: { vote: 60 },
      },
      issues: Object.fromEntries(parts.map((part) => [part.code, scriptFix(part)])),
    },
    environment: {
      FIXWRIGHT_PEOPLE_CLARIFY: 'true',
      // The watches over the pull requests that come to be are no part of it.
      ...{ FIXWRIGHT_GITHUB_WATCH_SECONDS: '3', FIXWRIGHT_GITHUB_WATCH_MAX_SECONDS: '60' },
    },
  })
  const { stage, github, number, hookUrl, command } = bed
  await github.setHook({ url: hookUrl, secret: WEBHOOK_SECRET })
  // It makes up for deliveries that come while no instance runs.
  const often = ['--set', 'github.watch_max_seconds=3']
  const watched = await command('watch-pr', `${number}`, '--repo', stage.repository, ...often).ended
  assert.equal(watched.status, 0, watched.stderr)
  const random = randomFrom(seed)
  for (const [index, { code }] of parts.entries()) {
    const round = index + 1
    const asks = (said: readonly string[]) => said.filter((body) => body.includes('**Questions**')).length === round
    const fix = await killCommand(bed, { random, text: `/fix ${code}`, isOver: asks })
    await until(`it asks: seed ${seed}, round ${round}: ${fix.what}`, async () => asks(await bed.replies()))
    const ends = (said: readonly string[]) => said.filter((body) => body.includes('Fixed 1 of 1')).length === round
    const text = index % 2 === 0 ? '/answer 1 Yes' : '/skip'
    const answer = await killCommand(bed, { random, text, isOver: ends })
    const what = `seed ${seed}, round ${round}:\n${fix.what}\n${answer.what}`
    await until(`it is fixed: ${what}`, async () => ends(await bed.replies()))
    assert.equal((await bed.outcome(fix.comment)).kind, 'fix', what)
    assert.equal((await bed.outcome(answer.comment)).kind, 'answer', what)
    await checkRound(bed, round, what)
  }
  await bed.hunt.end()
  await bed.endUp()
  await checkInvariants(stage)
}

interface Part {
  readonly code: string
  readonly file: string
  readonly line: string
}

function toPart(round: number): Part {
  const name = `part${`${round}`.padStart(2, '0')}`
  return { code: `F${`${round}`.padStart(3, '0')}`, file: `src/${name}.js`, line: `export const ${name} = 42` }
}

function scriptFix({ file, line }: Part) {
  const better = line.replace('42', '43')
  return {
    fixes: [{ steps: [{ tool: 'edit' as const, file, old: line, new: better }] }],
    proof: [{ file, adds: better }],
  }
}

async function checkRound({ stage, github, replies }: CommandStage, round: number, what: string): Promise<void> {
  const { items, reactions, problems } = await github.state()
  assert.deepEqual(problems, [], what)
  const sessions = (await stage.sessions()).filter(({ kind }) => kind === 'fix')
  const heads = items.flatMap(({ pull }) => (pull?.base === 'feature' ? pull.head : []))
  assert.deepEqual(heads.toSorted(), sessions.map(({ branch_name: branch }) => branch).toSorted(), what)
  const liked = new Set(reactions.map(({ comment }) => comment)).size
  assert.deepEqual([heads.length, liked, reactions.length], [round, round, round], what)
  assert.equal((await replies()).length, 2 * round, `${what}\neach session has its answer and its questions`)
}

interface CommandToKill {
  readonly text: string
  readonly random: Random
  /** By our comments. */
  isOver(said: readonly string[]): boolean
}

interface KilledCommand {
  readonly comment: number
  readonly what: string
}

/** Somebody writes the comment, and the worker dies a while after it was heard of, or when all is done. */
async function killCommand(
  bed: CommandStage,
  { text, random: { below, pick }, isOver }: CommandToKill,
): Promise<KilledCommand> {
  const { stage, github, number, commandId, replies } = bed
  const planned: PlannedFault[] = [
    { ...pick(WRITES), nth: 1 + below(2), fault: pick(FAULTS) },
    { method: 'GET', path: pick(READS), nth: 1 + below(3), fault: pick(FAULTS) },
  ]
  const [step, pause] = [1 + below(MOST_STEPS), below(300)]
  const what = `${text}: kill ${pause} ms after step ${step}, ${JSON.stringify(planned)}`
  await until('an instance runs', () => findLiveInstance(stage.home) !== undefined)
  const comment = await github.comment(BOB, number, text)
  await github.plan(planned)
  const handle = (await stage.client()).workflow.getHandle(commandId(comment))
  await until(`it was heard of: ${what}`, async () => {
    return await handle.describe().then(
      () => true,
      () => false,
    )
  })
  await untilStep(bed, (await countSteps(bed)) + step, async () => isOver(await replies()))
  await delay(pause)
  if (findLiveInstance(stage.home)) kill(stage, ['worker'])
  return { comment, what }
}
