// The claim of package.json's engines, tried: the package under the oldest Node that it names. Slow, because that Node is fetched.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { installGlobally, mustRun, pack } from '../project/packing.ts'

test('the package loads and starts under the oldest Node that it allows', async () => {
  const manifest = JSON.parse(await readFile(join(packageRoot(), 'package.json'), 'utf8')) as {
    version: string
    engines: { node: string }
  }
  const oldest = manifest.engines.node.replace('>=', '')
  const scratch = await mkdtemp(join(tmpdir(), 'oldest-'))
  try {
    await writeFile(join(scratch, 'package.json'), JSON.stringify({ allowScripts: { node: true } }))
    await mustRun('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', `node@${oldest}`], { cwd: scratch })
    const nodeFolder = join(scratch, 'node_modules/node/bin')
    const env = { ...process.env, PATH: `${nodeFolder}:/usr/bin:/bin` }
    const bin = await installGlobally((await pack(scratch)).tarball, join(scratch, 'prefix'), scratch)

    assert.equal(await mustRun(bin, ['--version'], { env }), `${manifest.version}\n`)

    const dist = join(scratch, 'prefix/lib/node_modules/fixwright/dist')
    const modules = globSync('**/*.js', { cwd: dist }).filter((file) => !/main\.js$|^workflow/.test(file))
    assert.ok(modules.length > 10)
    const urls = JSON.stringify(modules.map((file) => pathToFileURL(join(dist, file)).href))
    const script = `for (const url of ${urls}) await import(url); console.log(process.version)`
    const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script]
    assert.equal(await mustRun(join(nodeFolder, 'node'), flags, { env }), `v${oldest}\n`)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
})
