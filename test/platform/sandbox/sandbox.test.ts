// Real CLIs in the sandbox: what an agent goes for, and what it still can do.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { CallSandbox } from '../../../src/agents/provider-contract.ts'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import { answerOf, type Stage, setStage } from '../../agents/support.ts'
import { canaries, countVisits, forward, NO_SANDBOX, reachedIn, sandboxSettings, startProxy } from './support.ts'

type Mode = Settings['sandbox']['mode']

function bash(...commands: string[]) {
  return { issues: { A: { fixes: [{ steps: commands.map((command) => ({ tool: 'bash' as const, command })) }] } } }
}

function around(stage: Stage, mode: Mode, more: Partial<Settings['sandbox']> = {}): CallSandbox {
  return {
    settings: sandboxSettings(mode, more),
    hidden: [join(stage.folder, 'fixwright')],
    readable: [],
    writable: [stage.work],
    conversations: join(stage.folder, 'conversations'),
    cache: join(stage.folder, 'cache'),
  }
}

async function attack(t: TestContext, mode: Mode) {
  const stage = await setStage(t)
  const service = await countVisits(t)
  const socket = join(stage.folder, 's')
  const listener = await countVisits(t, socket)
  const outside = join(stage.folder, 'outside')
  const places = { user: stage.home, home: join(stage.folder, 'fixwright'), outside, port: service.port, socket }
  writeFileSync(join(stage.work, 'attack.sh'), canaries(places))
  const plant = 'mkdir -p ~/.claude && echo "{}" > ~/.claude/settings.json; echo x > ~/.profile'
  stage.model.setScenario(bash(`sh attack.sh > said.txt; ${plant}; echo done > made.txt`))
  const { report } = answerOf(await stage.call('claude', { sandbox: around(stage, mode) }))
  const said = readFileSync(join(stage.work, 'said.txt'), 'utf8')
  const planted = ['.profile', '.claude/settings.json'].filter((name) => existsSync(join(stage.home, name)))
  const visits = service.visits() + listener.visits()
  return { stage, record: report, said, reached: reachedIn(said), planted, visits, outside }
}

describe('the sandbox', { skip: NO_SANDBOX, concurrency: 2 }, () => {
  test('`require`: an agent that goes for keys, store, other sessions, processes, ports and sockets gets none, and nothing it plants stays', async (t) => {
    const { stage, record, said, reached, planted, visits, outside } = await attack(t, 'require')
    assert.match(said, /went for 11/)
    assert.deepEqual([reached, planted, visits], [[], [], 0])
    assert.ok(!existsSync(join(outside, 'planted.txt')))
    assert.equal(readFileSync(join(stage.work, 'made.txt'), 'utf8'), 'done\n')
    assert.equal(record.sandbox, 'network')
    assert.match(record.notes.join(), /the sandbox let it reach none of 127\.0\.0\.1:\d+/)
    // Nothing of its home is kept, nor of the sign-in that lay in it.
    const kept = ['home', 'state', 'gateway'].filter((name) => existsSync(join(stage.folder, 'call-1', name)))
    assert.deepEqual(kept, [])
  })

  test('`auto`: the same but for the network, which is open', async (t) => {
    const { record, reached, planted } = await attack(t, 'auto')
    assert.deepEqual(reached, ['reach a port of this machine', 'reach it through the way out'])
    assert.deepEqual([planted, record.sandbox], [[], 'files'])
  })

  test('`off`: it gets all of them', async (t) => {
    const { record, said, reached, planted } = await attack(t, 'off')
    const all = Number(/went for (\d+)/.exec(said)?.[1])
    // A process namespace is no part of the sandbox.
    const hidden = record.sandbox === 'processes' ? ['see other processes'] : []
    assert.equal(reached.length, all - hidden.length, said)
    assert.equal(planted.length, 2)
  })

  for (const mode of ['auto', 'require'] as const) {
    test(`in ${mode} both CLIs answer, and Claude goes on with a conversation of the session`, async (t) => {
      const stage = await setStage(t)
      const sandbox = around(stage, mode)
      const { conversationId } = answerOf(await stage.call('claude', { sandbox })).report
      const challenged = await stage.call('gemini', { sandbox, workingFolder: join(stage.folder, 'empty') })
      assert.equal(answerOf(challenged).report.sandbox, mode === 'auto' ? 'files' : 'network')
      const again = await stage.call('claude', { sandbox, conversation: { resume: `${conversationId}`, fork: true } })
      assert.equal(answerOf(again).kind, 'answered')
      assert.ok(!existsSync(join(stage.home, '.claude/projects')), 'the operator has no part in it')
    })
  }

  test('both CLIs go through the gateway, plain or in a tunnel, and through the proxy of their operator behind it', async (t) => {
    const stage = await setStage(t)
    // Loopback has the same port inside; another address has to be asked for.
    const model = await forward(t, stage.model.port, '127.0.0.2')
    const proxy = await startProxy(t)
    const url = `http://127.0.0.2:${model}`
    const environment = {
      ...stage.environment,
      ANTHROPIC_BASE_URL: url,
      GOOGLE_GEMINI_BASE_URL: url,
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
    }
    const sandbox = around(stage, 'require')
    for (const cli of ['claude', 'gemini'] as const) {
      const before = proxy.asked().length
      answerOf(await stage.call(cli, { sandbox, environment, workingFolder: join(stage.folder, 'empty') }))
      const asked = new Set(proxy.asked().slice(before))
      assert.deepEqual([...asked], [`127.0.0.2:${model}`], cli)
    }
  })

  test('what its operator names can be read or written, and their tools are found', async (t) => {
    const stage = await setStage(t)
    for (const name of ['notes', 'cache', 'tools/lib', 'tools/bin'])
      mkdirSync(join(stage.home, name), { recursive: true })
    writeFileSync(join(stage.home, 'notes/a.txt'), 'a note\n')
    writeFileSync(join(stage.home, 'tools/lib/words'), 'from the tool\n')
    const tool = join(stage.home, 'tools/bin/own-tool')
    writeFileSync(tool, '#!/bin/sh\ncat "$(dirname "$0")/../lib/words"\n', { mode: 0o755 })
    const line =
      'echo built > ~/.cache/c.txt; cat ~/notes/a.txt; own-tool; echo x > ~/cache/b.txt; echo y > ~/notes/c.txt; git --version'
    stage.model.setScenario(bash(`(${line}) > said.txt 2>&1`))
    const sandbox = around(stage, 'require', { readable: ['~/notes'], writable: ['~/cache'] })
    const environment = { ...stage.environment, PATH: `${stage.environment.PATH}:${join(stage.home, 'tools/bin')}` }
    answerOf(await stage.call('claude', { sandbox, environment }))
    const said = readFileSync(join(stage.work, 'said.txt'), 'utf8')
    assert.match(said, /a note\nfrom the tool\n/)
    assert.match(said, /git version/)
    assert.match(said, /c\.txt: Read-only file system/)
    assert.equal(readFileSync(join(stage.home, 'cache/b.txt'), 'utf8'), 'x\n')
    assert.ok(!existsSync(join(stage.home, 'notes/c.txt')) && !existsSync(join(stage.home, '.cache/c.txt')))
    assert.equal(readFileSync(join(stage.folder, 'cache/c.txt'), 'utf8'), 'built\n')
  })
})
