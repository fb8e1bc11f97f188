// The table of docs/security.md says what the default settings protect, and both name what tools run or obey elsewhere.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { checkScope } from '../../src/domain/scope/check-scope.ts'
import { Settings } from '../../src/domain/settings/schema.ts'
import { packageRoot } from '../../src/runtime/home/package-root.ts'

const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8')
const { scope } = Settings.parse(parse(read('config/settings.yaml')))

test('the table of protected files in docs/security.md is that of the default settings', () => {
  const [, table = ''] = read('docs/security.md').split('### Files that run or instruct elsewhere')
  const rows = (table.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| ') && line.includes('`'))
  const named = rows.flatMap((row) => [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, glob]) => glob))
  assert.deepEqual(named, scope.protected)
})

test('files that tools run or obey elsewhere are protected by default', () => {
  const files = [
    '.pnp.cjs .pnp.loader.mjs .lfsconfig web/.lfsconfig .tekton/push.yaml netlify.toml opencode.json a/opencode.jsonc QWEN.md',
    '.coderabbit.yaml .coderabbit.yml .sourcery.yaml .pr_agent.toml .qwen/settings.json .crush.json a/WARP.md .goosehints',
    '.rules .agents/x.md .claude-plugin/plugin.json .hooks/pre-commit captainhook.json .gitconfig',
    '.yarn/sdks/x.js gradlew mvnw.cmd .condarc .fleet/run.json .run/x.xml app.sublime-project .replit',
    'vercel.json fly.toml render.yaml wrangler.jsonc firebase.json .firebaserc Procfile serverless.yml amplify.yml',
    'renovate.json .github/renovate.json5 .renovaterc .mergify.yml bors.toml .goreleaser.yaml .releaserc.json',
    '.zuul.d/x.yaml zuul.yaml codefresh.yml .harness/x.yaml .builds/x.yml .readthedocs.yaml .packit.yaml',
  ].flatMap((line) => line.split(' '))
  const owners = Object.fromEntries(files.map((path) => [path, ['A']]))
  const { outside } = checkScope(
    files.map((path) => ({ path })),
    owners,
    [],
    scope,
  )
  assert.deepEqual(
    outside.map(({ path }) => path),
    files,
  )
})

test('files of a project that only sound like those are free', () => {
  const files = [
    'src/netlify.ts',
    'docs/renovate.md',
    'src/rules.ts',
    'app/vercel.json.ts',
    'lib/hooks/use.ts',
    'src/procfile.go',
  ]
  const owners = Object.fromEntries(files.map((path) => [path, ['A']]))
  assert.deepEqual(
    checkScope(
      files.map((path) => ({ path })),
      owners,
      [],
      scope,
    ).outside,
    [],
  )
})
