// `npm run bundle` writes dist/workflow-bundle.js for the package; with --cache (npm ci) the copy that a checkout's worker takes.
import { join } from 'node:path'
import { packageRoot } from '../src/runtime/home/package-root.ts'
import { buildWorkflowBundle, loadWorkflowBundle } from '../src/runtime/worker/workflow-bundle.ts'

if (process.argv.includes('--cache')) await loadWorkflowBundle()
else await buildWorkflowBundle(join(packageRoot(), 'dist/workflow-bundle.js'))
