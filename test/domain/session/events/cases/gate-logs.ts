// One event of every kind: what the log says of baseline, setup and checks.
import {
  logBaselineDoubted,
  logBaselineKnown,
  logBaselineMute,
  logBaselineRed,
  logBaselineRerun,
  logBaselineRerunImpossible,
  logBaselineUnknown,
  logVariablesUnset,
} from '../../../../../src/domain/session/events/logs/baseline-logs.ts'
import {
  logChecksRan,
  logSetupKept,
  logSetupNotShared,
} from '../../../../../src/domain/session/events/logs/sharing-logs.ts'
import {
  logByProductsIgnored,
  logCheckEnded,
  logCheckoutLeft,
  logOldTestsRun,
  logProgramMissing,
  logSetupDone,
  logSetupFailed,
  logSetupStarted,
} from '../../../../../src/domain/session/events/logs/verification-logs.ts'
import { COMPARISON_ADVICE } from '../../../../../src/domain/verification/red-base.ts'
import { AT, type Case, COMMIT, FILES, FIRST_TEN } from './case.ts'

export const GATE_LOG_CASES: readonly Case[] = [
  [
    logSetupStarted({ call: 's1.verify', setup: ['npm ci', 'make'], changed: [], gone: [] }),
    's1.verify/setup',
    'setting up: npm ci · make',
  ],
  [
    logSetupStarted({ call: 's1.verify', setup: ['npm ci'], again: true, changed: FILES, gone: ['dist'] }),
    's1.verify/setup',
    'setting up again, for f1, f2, f3, f4, f5, dist (gone): npm ci',
  ],
  [logSetupDone({ call: 's1.verify', seconds: 3.04 }), 's1.verify/setup/end', 'set up in 3.0 s'],
  [
    logSetupFailed('s1.verify', { command: 'npm ci', outcome: 'failed: exit status 1' }),
    's1.verify/setup/end',
    'the setup failed: npm ci: failed: exit status 1',
  ],
  [
    logCheckEnded(false, {
      call: 's1.verify',
      command: 'lint',
      outcome: 'passed',
      number: 2,
      checks: 3,
    }),
    's1.verify/run/2',
    'check 2 of 3 · lint: passed',
  ],
  [
    logCheckEnded(true, {
      call: 's1.verify',
      command: 'lint',
      outcome: 'passed',
      number: 2,
      checks: 3,
    }),
    's1.verify/fresh/2',
    'check 2 of 3 · lint: passed',
  ],
  [
    logChecksRan({
      ...{ call: 's1.fresh1', in_fresh_checkout: true, shared: true },
      ...{ setup_seconds: 0.44, check_seconds: 2 },
    }),
    's1.fresh1/ran/fresh',
    'checked in 2.0 s, with a copy of the setup in 0.4 s',
  ],
  [
    logSetupKept('base', { seconds: 1.25 }),
    'base/setup/kept',
    'what the setup made is kept for fresh checkouts (copied in 1.3 s)',
  ],
  [
    logSetupNotShared('base', { reason: 'it builds' }),
    'base/setup/alone',
    'each fresh checkout has a setup of its own: it builds',
  ],
  [
    logByProductsIgnored('base', FILES),
    'base/by-products',
    `made by the checks themselves, so never committed: ${FIRST_TEN} and 120 more`,
  ],
  [
    logCheckoutLeft({ path: '/x', reason: 'EACCES' }),
    'checkouts/left',
    'a fresh checkout could not be removed whole: the rest of it is /x (EACCES). It may hold files of another user, left by checks in a container (have it run as you: --user "$(id -u):$(id -g)"). The result stands, and the session says at its end how to remove what is left',
  ],
  [
    logProgramMissing('base', [{ command: 'npm t', reason: 'sh: 1: npm: not found' }]),
    'base/missing',
    '"npm t" (sh: 1: npm: not found) can\'t run on the untouched base, and is ignored: it says nothing about any fix unless the fix itself makes it run',
  ],
  [
    logOldTestsRun('s1.oldtests1', {
      head: 'h',
      key: 'k',
      files: [{ path: 'tests/a.py', why: 'as it was', codes: ['A'] }],
      putBack: ['tests/a.py'],
      failures: [{ command: 'npm t', outcome: 'failed: exit status 1', tests: ['adds'] }],
      unproven: ['make'],
    }),
    's1.oldtests1/old-tests',
    'with tests/a.py as before the fix: npm t: adds (only the changed tests make make pass: that proves nothing)',
  ],
  [
    logBaselineRed('base', { commands: ['npm t'], why: 'all have to pass' }),
    'base/red',
    'what fails on the untouched base (npm t) matters: all have to pass',
  ],
  [
    logBaselineMute('base', { commands: ['npm t'], alone: true, accepts: false }),
    'base/mute',
    `what fails on the untouched base (npm t) can't prove a fix that leaves it red: unless a fix makes it green, every fix stays unproven, and the exit status is 1. ${COMPARISON_ADVICE}`,
  ],
  [
    logBaselineKnown('base', { from: 's0', at: AT }, AT + 5 * 60_000),
    'base/known',
    'all of it passed there for session s0, 5 min ago: not run again',
  ],
  [
    logBaselineDoubted('base', { head: COMMIT, from: 's0' }),
    'base/again',
    'what fails here passed on the untouched base for session s0: it is run there again before a fix is blamed',
  ],
  [
    logBaselineDoubted('base', { head: COMMIT }),
    'base/again',
    'what fails here was red on the untouched base, and passed on 0123456789: it is run there again before a fix is blamed',
  ],
  [
    logVariablesUnset('base', { names: ['DATABASE_URL', 'REDIS_URL'] }),
    'base/unset',
    "verification.environment names DATABASE_URL, REDIS_URL, which the instance's environment does not have: checks run without; start the instance where it is set",
  ],
  [
    logBaselineUnknown('base.x', { head: COMMIT }),
    'base.x/again',
    'nobody has checked 0123456789, which is on the branch now: the checks are run there before a fix is judged beside it',
  ],
  [
    logBaselineRerun('base', { runs: [{ command: 'npm t', outcome: 'passed' }] }),
    'base/again/result',
    'on the untouched base all of it passes still',
  ],
  [
    logBaselineRerun('base.x', {
      head: COMMIT,
      runs: [
        { command: 'npm t', outcome: 'passed' },
        { command: 'lint', outcome: 'failed' },
      ],
    }),
    'base.x/again/result',
    'on 0123456789 it fails now, too · lint: failed',
  ],
  [
    logBaselineRerunImpossible('base', { problem: 'no network' }),
    'base/again/result',
    'it could not be run there again, so that what was known holds: no network',
  ],
]
