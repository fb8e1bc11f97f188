// The prebuilt bundle of src/workflows saves each worker a second of webpack. The package contains it; in a checkout it is cached under a
// hash of its sources, and `npm ci` or the first worker after a change builds it.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Logger } from '@temporalio/common'
import { escapeBeyondAscii } from '../../domain/text/escape-beyond-ascii.ts'
import { writeFileAtomically } from '../../platform/processes/write-file-atomically.ts'
import { packageRoot } from '../home/package-root.ts'

const DAY_MS = 86_400_000
/** Another word for each change of what is made of the same sources. */
const BUNDLE_FORM = 'thin'
const SOURCE_MAP = '\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,'

export interface WorkflowBundle {
  readonly codePath: string
}

export interface BundleOptions {
  readonly logger?: Logger
  /** Called before a build, which takes seconds. */
  readonly onBuild?: () => void
}

export async function loadWorkflowBundle({ logger, onBuild }: BundleOptions = {}): Promise<WorkflowBundle> {
  // A checkout's program may be compiled, too, and what `npm run build` made there may be old.
  if (!fileExists(join(packageRoot(), 'src/workflows/index.ts'))) return findPrebuiltBundle()
  const codePath = join(
    packageRoot(),
    'node_modules',
    '.cache',
    'fixwright',
    `workflow-bundle-${hashBundleSources()}.js`,
  )
  if (fileExists(codePath)) return { codePath }
  onBuild?.()
  removeOldBundles(dirname(codePath))
  return buildWorkflowBundle(codePath, logger)
}

export async function buildWorkflowBundle(codePath: string, logger?: Logger): Promise<WorkflowBundle> {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker')
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(packageRoot(), 'src/workflows/index.ts'),
    // Preloaded once for all sessions of a worker: in each session, the schemas of messages alone would take half a megabyte.
    preloadModules: [join(packageRoot(), 'src/workflows/index.ts')],
    payloadConverterPath: join(packageRoot(), 'src/workflows/temporal/payload-converter.ts'),
    logger: logger ?? new DefaultLogger('WARN'),
  })
  writeFileAtomically(codePath, thinBundle(code))
  return { codePath }
}

/** The main thread and each workflow thread hold all of a bundle: one letter beyond ASCII doubles it, and nobody reads the sources in its map. */
function thinBundle(code: string): string {
  const [program = '', map = ''] = code.split(SOURCE_MAP)
  const { sourcesContent: _, ...places } = JSON.parse(Buffer.from(map, 'base64').toString()) as Record<string, unknown>
  return `${escapeBeyondAscii(program)}${SOURCE_MAP}${Buffer.from(JSON.stringify(places)).toString('base64')}`
}

function findPrebuiltBundle(): WorkflowBundle {
  const codePath = join(packageRoot(), 'dist/workflow-bundle.js')
  if (!fileExists(codePath))
    throw new Error(`${codePath} is missing. The installation is damaged: install fixwright again.`)
  return { codePath }
}

/** Gap: the hash covers only the two rooms a workflow may import (the house test ensures that) and the versions of the packages in it. */
function hashBundleSources(): string {
  const root = packageRoot()
  const hash = createHash('sha256').update(BUNDLE_FORM)
  for (const name of ['@temporalio/workflow', 'zod', '@noble/curves']) hash.update(readDependencyVersion(name, root))
  for (const file of globSync('src/{domain,workflows}/**/*.ts', { cwd: root }).sort()) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex').slice(0, 16)
}

function readDependencyVersion(name: string, root: string): string {
  const folders = createRequire(join(root, 'package.json')).resolve.paths(name) ?? []
  const manifest = folders.map((folder) => join(folder, name, 'package.json')).find(fileExists) ?? name
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

/** A worker reads its bundle as it starts, so no worker needs one of yesterday. */
function removeOldBundles(folder: string): void {
  for (const file of globSync('workflow-bundle-*', { cwd: folder })) {
    const written = statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (written < Date.now() - DAY_MS) rmSync(join(folder, file), { force: true })
  }
}

function fileExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
