// `npm run build`: dist/ from nothing: the program in few files, its types, and the workflow bundle.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../src/runtime/home/package-root.ts'
import { buildWorkflowBundle } from '../src/runtime/worker/workflow-bundle.ts'

const root = packageRoot()
rmSync(join(root, 'dist'), { recursive: true, force: true })
const compiled = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
if (compiled.status !== 0) process.exit(1)
const bundled = spawnSync(process.execPath, ['scripts/bundle-program.ts'], { cwd: root, stdio: 'inherit' })
if (bundled.status !== 0) process.exit(1)
await buildWorkflowBundle(join(root, 'dist/workflow-bundle.js'))
