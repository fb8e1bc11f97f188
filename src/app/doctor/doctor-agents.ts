// Checks the CLIs of both agents and their sign-ins. A running instance starts them in its own environment, so that one counts.
import { detectCliVersion, explainTooOld, installHint, type Vendor } from '../../agents/cli-version.ts'
import { isChallenged, type Settings } from '../../domain/settings/schema.ts'
import { detectSignIn } from '../../preflight/agents/detect-sign-in.ts'
import type { Environment } from '../../runtime/home/home.ts'
import type { DoctorCheck } from './doctor-repository.ts'

export interface AgentEnvironments {
  readonly own: Environment
  /** Undefined if no instance runs: the next one gets the environment of its command. */
  readonly instance: Environment | undefined
}

export function checkAgents(settings: Settings, environments: AgentEnvironments): Promise<DoctorCheck[]>[] {
  const fixer = checkAgent('claude', settings.claude.command, environments)
  if (isChallenged(settings)) return [fixer, checkAgent('gemini', settings.gemini.command, environments)]
  return [fixer, Promise.resolve([{ state: 'note', what: 'gemini', found: 'not needed: the challenger is off' }])]
}

async function checkAgent(vendor: Vendor, command: string, environments: AgentEnvironments): Promise<DoctorCheck[]> {
  const { path, version, problem } = await detectCliVersion(command, { ...(environments.instance ?? environments.own) })
  if (path === undefined) {
    return [{ state: 'missing', what: vendor, found: 'not found', advice: installHint(command, vendor) }]
  }
  if (version === undefined) {
    const advice = `run "${command} --version" to see why, or install it again`
    return [{ state: 'missing', what: vendor, found: `${path}: ${problem}`, advice }]
  }
  const tooOld = explainTooOld(vendor, version)
  const found = `${version} (${path})`
  return [
    tooOld === undefined
      ? { state: 'ok', what: vendor, found }
      : { state: 'missing', what: vendor, found, advice: tooOld },
    checkSignIn(vendor, command, environments),
  ]
}

function checkSignIn(vendor: Vendor, command: string, { own, instance }: AgentEnvironments): DoctorCheck {
  const what = `${vendor} sign-in`
  const signIn = detectSignIn(vendor, instance ?? own)
  const key = vendor === 'claude' ? 'ANTHROPIC_API_KEY' : 'GEMINI_API_KEY'
  const advice = `run "${command}" once and sign in, or set ${key}`
  const whose = instance === undefined ? '' : ', as the running instance sees it'
  switch (signIn.kind) {
    case 'found':
      return { state: 'ok', what, found: `seems to be there (${signIn.where}${whose})` }
    case 'unknown':
      return { state: 'note', what, found: `can't be told here${whose}`, advice }
    case 'none': {
      const found = `no key and no sign-in was found${whose}`
      const isHere = instance !== undefined && detectSignIn(vendor, own).kind === 'found'
      return { state: 'missing', what, found, advice: isHere ? RESTART_ADVICE : advice }
    }
  }
}

const RESTART_ADVICE =
  'this terminal has it, and the instance was started without: end what holds it ("fixwright up", running commands), and start again from here'
