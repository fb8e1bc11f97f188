// Loaded into a process before its program: writes down each package of Temporal that it loads.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    if (/^@temporalio\//.test(specifier)) {
      appendFileSync(process.env.FIXWRIGHT_TEST_IMPORTS ?? '', `${process.pid} loads ${specifier}\n`)
    }
    return next(specifier, context)
  },
})
