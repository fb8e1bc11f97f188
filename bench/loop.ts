// The bare loop: a shell script that makes the calls of a session one after the other and commits after each challenge, as often as the
// session does. It has no clone, sandbox, record or report, never looks at an answer, and can't go on after a crash.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cliPaths } from '../rehearsal/environment.ts'
import { buildClaudeEnvironment } from '../src/agents/claude/environment.ts'
import { buildGeminiEnvironment } from '../src/agents/gemini/environment.ts'
import { prepareGeminiFolder } from '../src/agents/gemini/working-folder.ts'
import { replyJsonSchema } from '../src/agents/replies/reply-format.ts'
import { busyCpuMs } from './machine.ts'
import { type Bench, environmentOf, type Measured, type RecordedCall } from './session.ts'

/** The session makes a commit for all issues that share a file. */
const COMMIT_EACH_FILE =
  'git ls-files -mo --exclude-standard | while read -r file; do git add "$file"; git commit -qm "$file"; done'

/** One shell makes all calls; with `shells`, each stage has a shell and a clone of its own, as many at once as that. */
export async function runLoop(
  bench: Bench,
  repository: string,
  calls: readonly RecordedCall[],
  shells = 1,
): Promise<Measured> {
  const folder = join(bench.folder, `${shells}-shells`)
  const empty = join(folder, 'empty')
  mkdirSync(empty, { recursive: true })
  await prepareGeminiFolder(empty, { models: [], maxAttempts: 2 })
  const { claude, gemini } = cliPaths()
  const fixer = `'${claude}' --print --dangerously-skip-permissions --output-format stream-json --verbose --setting-sources user --strict-mcp-config --model opus --json-schema '${JSON.stringify(replyJsonSchema('fix'))}'`
  const challenger = `'${gemini}' --output-format stream-json --approval-mode plan --skip-trust -m gemini-2.5-flash --allowed-mcp-server-names none -e none`
  const toLines = (own: readonly RecordedCall[], name: string, tree: string): string[] =>
    own.flatMap(({ role, prompt }, index) => {
      const file = join(folder, `${name}-${index}.txt`)
      writeFileSync(file, prompt)
      const isChallenge = role === 'fix_challenger'
      return [
        `cd '${isChallenge ? empty : tree}'`,
        `${isChallenge ? challenger : fixer} < '${file}' > '${file}.out' 2> '${file}.err'`,
        ...(isChallenge ? [`cd '${tree}'`, COMMIT_EACH_FILE] : []),
      ]
    })
  const lines = ['set -e']
  if (shells === 1) lines.push(...toLines(calls, 'all', repository))
  else {
    const byStage = [...Map.groupBy(calls, ({ stage }) => stage)]
    for (const [index, [stage, own]] of byStage.entries()) {
      if (index >= shells) lines.push('wait -n')
      const tree = join(folder, `tree-${stage}`)
      lines.push('(', `git clone -q '${repository}' '${tree}'`, ...toLines(own, `${stage}`, tree), ') &')
    }
    lines.push('for job in $(jobs -p); do wait $job; done')
  }
  return await runScript(folder, lines, environmentOf(bench))
}

/** The lines run in the environment that Fixwright gives to its CLIs. */
export async function runScript(
  folder: string,
  lines: readonly string[],
  operator: NodeJS.ProcessEnv,
): Promise<Measured> {
  const script = join(folder, 'loop.sh')
  writeFileSync(script, `${lines.join('\n')}\n`)
  const tmpdir = join(folder, 'tmp')
  mkdirSync(tmpdir, { recursive: true })
  const identity = {
    GIT_AUTHOR_NAME: 'l',
    GIT_AUTHOR_EMAIL: 'l@x',
    GIT_COMMITTER_NAME: 'l',
    GIT_COMMITTER_EMAIL: 'l@x',
  }
  const env = {
    ...buildClaudeEnvironment(operator, { tmpdir }),
    ...buildGeminiEnvironment(operator, { tmpdir }),
    ...identity,
  }
  const cpuBefore = busyCpuMs()
  const started = performance.now()
  const [code] = (await once(spawn('bash', [script], { env, stdio: ['ignore', 'inherit', 'inherit'] }), 'exit')) as [
    number,
  ]
  if (code !== 0) throw new Error(`the bare loop ended with ${code}`)
  return { wallMs: performance.now() - started, cpuMs: busyCpuMs() - cpuBefore }
}
