// Finds out whether the models of a session can be reached from its sandbox.
import { isChallenged, type Settings } from '../../domain/settings/schema.ts'
import { egressProblem } from '../../platform/sandbox/egress/egress.ts'
import { readClaudeSettingsEnv } from '../claude/state-folder.ts'
import { readGeminiLogin } from '../gemini/working-folder.ts'
import { listClaudeEndpoints, listGeminiEndpoints } from './endpoints.ts'

/** Why the models of a session with these settings can't be reached from its sandbox. Reported before any call is made. */
export async function modelAccessProblem(
  settings: Settings,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (settings.sandbox.mode !== 'require') return undefined
  const claude = listClaudeEndpoints({ ...environment, ...(await readClaudeSettingsEnv(environment)) })
  const login = isChallenged(settings) ? await readGeminiLogin(environment) : undefined
  const gemini = login ? listGeminiEndpoints({ ...login.variables, ...environment }) : []
  return egressProblem([...claude, ...gemini], settings.sandbox.endpoints)
}
