// Makes the one file that the store loads Kysely from: with --cache for a checkout (npm ci), otherwise dist/kysely.js.
// The bundler is the one that Temporal's worker brings along.
import { mkdirSync, renameSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageRoot } from '../src/runtime/home/package-root.ts'
import { KYSELY_PARTS, kyselyBundleUrl } from '../src/store/sqlite/load-kysely.ts'

interface Stats {
  hasErrors(): boolean
  toString(how: { readonly all: false; readonly errors: true }): string
}
type Webpack = (options: object, done: (error: Error | null, stats?: Stats) => void) => void

const root = packageRoot()
const cached = kyselyBundleUrl()
if (cached === undefined) throw new Error('kysely is not installed: run npm ci')
const target = process.argv.includes('--cache') ? fileURLToPath(cached) : join(root, 'dist', 'kysely.js')
const unfinished = `${target}.${process.pid}`
const fromWorker = createRequire(createRequire(join(root, 'package.json')).resolve('@temporalio/worker'))
const webpack = fromWorker('webpack') as Webpack

mkdirSync(dirname(target), { recursive: true })
await new Promise<void>((resolve, reject) => {
  const options = {
    mode: 'production',
    target: 'node22',
    devtool: false,
    context: root,
    entry: `data:text/javascript,export { ${KYSELY_PARTS.join(', ')} } from 'kysely'`,
    experiments: { outputModule: true },
    optimization: { minimize: false },
    output: { path: dirname(unfinished), filename: basename(unfinished), library: { type: 'module' } },
  }
  webpack(options, (error, stats) => {
    if (error) reject(error)
    else if (stats?.hasErrors()) reject(new Error(stats.toString({ all: false, errors: true })))
    else resolve()
  })
})
renameSync(unfinished, target)
