// The tool that starts sub-agents, as the real CLI has it: those of one message work at the same time, those of the next after them, all of
// them in this tree and before the answer comes, whatever the model asks for.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { until } from '../../support/until.ts'
import { answerOf, type Heard, setStageFor } from '../support.ts'

const subagents = { 'fixer-single': { description: 'fixes one issue', prompt: 'You fix one issue.', tools: ['Write'] } }

/** One use of the tool; its sub-agent is known by its name from then on. */
function handOn(name: string, more: object = {}) {
  const input = { description: `fix ${name}`, prompt: `SUB-AGENT-${name}`, subagent_type: 'fixer-single', ...more }
  return { name: 'Agent', input }
}

function nameOf({ said }: Heard): string {
  return /SUB-AGENT-(\w+)/.exec(said)?.[1] ?? ''
}

/** Writes a file of its name, then says that it is done. */
function work(heard: Heard) {
  const name = nameOf(heard)
  const write = { name: 'Write', input: { file_path: `${name}.txt`, content: name } }
  return heard.turn === 0 ? { tools: [write] } : { text: `${name} is done` }
}

describe('sub-agents of the real CLI', { concurrency: 3 }, () => {
  test('those of one message work at the same time, and before the answer comes [S1-4, S2-8]', async (t) => {
    const begun = new Set<string>()
    const { call, work: tree } = await setStageFor(t, async (heard) => {
      if (heard.agent === undefined)
        return heard.turn === 0 ? { tools: [handOn('one'), handOn('two'), handOn('three')] } : { text: 'all done' }
      begun.add(nameOf(heard))
      // None of them gets an answer before all of them have asked.
      await until('all three are at work', () => begun.size === 3)
      return work(heard)
    })
    const { text, report } = answerOf(await call('claude', { subagents }))
    assert.equal(text, 'all done')
    assert.deepEqual((await readdir(tree)).sort(), ['one.txt', 'three.txt', 'two.txt'])
    assert.deepEqual(report.notes, [])
  })

  test('those of the next message begin when these are done, also where the model wants them in the background [S1-5, S2-8]', async (t) => {
    const order: string[] = []
    const { call, work: tree } = await setStageFor(t, (heard) => {
      order.push(heard.agent === undefined ? `turn ${heard.turn}` : `${nameOf(heard)} ${heard.turn}`)
      if (heard.agent !== undefined) {
        if (nameOf(heard) === 'two') assert.ok(existsSync(join(tree, 'one.txt')))
        return work(heard)
      }
      if (heard.turn === 2) return { text: 'all done' }
      return { tools: [handOn(heard.turn === 0 ? 'one' : 'two', { run_in_background: true })] }
    })
    assert.equal(answerOf(await call('claude', { subagents })).text, 'all done')
    assert.deepEqual(order, ['turn 0', 'one 0', 'one 1', 'turn 1', 'two 0', 'two 1', 'turn 2'])
  })

  test('one in a worktree of its own, or on another machine, is refused, and the model hears why', async (t) => {
    const {
      call,
      work: tree,
      heard,
    } = await setStageFor(t, (each) => {
      if (each.agent !== undefined) return work(each)
      if (each.turn === 2) return { tools: [handOn('here')] }
      return each.turn === 3
        ? { text: 'all done' }
        : { tools: [handOn('there', { isolation: ['worktree', 'remote'][each.turn] })] }
    })
    const git = (...args: string[]) => execFileSync('git', args, { cwd: tree, encoding: 'utf8' })
    git('init', '-q')
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'base')
    const { text, report } = answerOf(await call('claude', { subagents }))
    assert.equal(text, 'all done')
    assert.deepEqual((await readdir(tree)).sort(), ['.git', 'here.txt'])
    assert.equal(git('worktree', 'list').trim().split('\n').length, 1)
    assert.equal(git('branch', '--list', 'worktree-*'), '')
    const last = heard.findLast(({ agent }) => agent === undefined)
    assert.equal(last?.said.match(/isolation:\* has been denied/g)?.length, 2)
    assert.match(report.notes.join(), /refused: .*isolation/)
  })

  test('what they use is part of what the call used, and not of what its conversation fills', async (t) => {
    const { call } = await setStageFor(t, (heard) => {
      if (heard.agent !== undefined) return { text: `done ${'word '.repeat(20_000)}` }
      return heard.turn === 0 ? { tools: [handOn('one')] } : { text: 'all done' }
    })
    const { report } = answerOf(await call('claude', { subagents, tools: { only: ['Agent', 'Write'] } }))
    assert.ok(report.outputTokens! > 20_000, `${report.outputTokens}`)
    assert.ok(report.contextTokens! > 1_000 && report.contextTokens! < report.inputTokens!)
  })
})
