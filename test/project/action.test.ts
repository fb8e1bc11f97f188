// The Action as far as it can be read: actions of others by commit, no expression in a script, no job with both a model's key and a right to
// write. actionlint looks at the rest (test/slow).
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Workflow {
  readonly permissions?: object
  readonly jobs: Readonly<Record<string, { readonly permissions?: Record<string, string>; readonly steps: Step[] }>>
}

const read = (file: string) => parse(readFileSync(file, 'utf8'))
const action = read('action.yml') as { readonly runs: { readonly steps: Step[] } }
const workflow = read('.github/workflows/review-pr.yml') as Workflow
const steps = [...action.runs.steps, ...Object.values(workflow.jobs).flatMap((job) => job.steps)]

test('actions of others are pinned by commit, and scripts take inputs by the environment alone', () => {
  for (const { uses, run = '' } of steps) {
    if (uses !== undefined && uses !== './fixwright') assert.match(uses, /@[0-9a-f]{40}$/)
    assert.ok(!run.includes('${{'), run)
  }
})

test('the job that reads can write nothing, and the one that posts has no key of a model and no checkout', () => {
  const { read: reading, post: posting } = workflow.jobs
  assert.deepEqual([workflow.permissions, Object.keys(workflow.jobs)], [{}, ['read', 'post']])
  assert.deepEqual([...new Set(Object.values(reading?.permissions ?? {}))], ['read'])
  assert.deepEqual(posting?.permissions, { contents: 'read', 'pull-requests': 'write', checks: 'write' })
  const text = JSON.stringify(posting)
  assert.doesNotMatch(text, /api-key|base\.sha|inputs\.base/)
  for (const { uses, with: given } of steps)
    if (uses?.startsWith('actions/checkout')) assert.equal(given?.['persist-credentials'], false)
})

test('each job may read what it checks out, as a private copy needs, and the example grants what the jobs want', () => {
  const example = read('examples/github-workflow.yml') as { readonly permissions: Readonly<Record<string, string>> }
  for (const { permissions = {}, steps } of Object.values(workflow.jobs)) {
    if (steps.some(({ uses }) => uses?.startsWith('actions/checkout'))) assert.equal(permissions.contents, 'read')
    for (const [name, right] of Object.entries(permissions))
      assert.ok([right, 'write'].includes(`${example.permissions[name]}`), `${name}: ${right}`)
  }
})

test('both jobs run Fixwright from the commit of the workflow, whatever it was called by, and nothing names a release', () => {
  for (const job of Object.values(workflow.jobs)) {
    const at = job.steps.findIndex(({ uses }) => uses === './fixwright')
    const checkouts = job.steps.slice(0, at).filter(({ uses }) => uses?.startsWith('actions/checkout'))
    const { repository, ref, path } = checkouts.at(-1)?.with ?? {}
    const ofWorkflow = ['repository', 'sha'].map((name) => ['$', `{{ job.workflow_${name} }}`].join(''))
    assert.deepEqual([repository, ref, path], [...ofWorkflow, 'fixwright'])
  }
  const named = ['.github/workflows/review-pr.yml', 'examples/github-workflow.yml', 'README.md', 'docs/github.md']
  for (const file of named) assert.doesNotMatch(readFileSync(file, 'utf8'), /fixwright@v\d|\.yml@v\d/, file)
})

test('neither the workflow nor the action lets a pull request of a fork be read, whatever the event', () => {
  for (const file of [
    '.github/workflows/review-pr.yml',
    'action.yml',
    'scripts/action.sh',
    'examples/github-workflow.yml',
  ])
    assert.doesNotMatch(readFileSync(file, 'utf8'), /allow.?fork/i, file)
  // `--pr` is what asks GitHub where the head lies.
  assert.match(readFileSync('scripts/action.sh', 'utf8'), /review-pr --repo \S+ --pr "\$pull" --format json/)
})
