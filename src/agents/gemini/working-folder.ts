// Prepares the folder in which Gemini runs: empty except for our settings. The CLI reads GEMINI.md, `.env` and settings of its working
// directory and of all folders above it, so nothing of the repository may lie there.

import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { parseJsonIfValid } from '../../domain/text/parse-json.ts'
import { writeFileAtomically } from '../../platform/processes/write-file-atomically.ts'
import { selectGeminiVariables } from './environment.ts'

interface GeminiOptions {
  readonly models: readonly string[]
  readonly thinkingBudget?: number | undefined
  /** How often a request is made before the CLI gives up; it waits 5, 10, 20 … s in between. */
  readonly maxAttempts: number
  readonly authType?: string | undefined
  /** Whether it has tools that read. */
  readonly reads?: boolean | undefined
}

const READING_TOOLS = ['read_file', 'list_directory', 'glob', 'grep_search']

/**
 * An empty `.env` ends the CLI's search here. Settings of a folder override the operator's own, who stays signed in. System settings
 * override ours and are read only if root alone can write them, so ours can't go there.
 */
export async function prepareGeminiFolder(folder: string, wishes: GeminiOptions): Promise<void> {
  await mkdir(join(folder, '.gemini'), { recursive: true })
  await removeForeignFiles(folder, ['.gemini', '.env'])
  await removeForeignFiles(join(folder, '.gemini'), ['settings.json', '.env'])
  // In one step each, since calls that share the folder read them at the same time.
  writeFileAtomically(
    join(folder, '.gemini', 'settings.json'),
    JSON.stringify(buildGeminiSettings(wishes), null, 2),
    0o600,
  )
  writeFileAtomically(join(folder, '.gemini', '.env'), '', 0o600)
  writeFileAtomically(join(folder, '.env'), '', 0o600)
}

/** All calls share the folder: a GEMINI.md that an agent without a sandbox left there would instruct every challenger after it. */
async function removeForeignFiles(folder: string, ours: readonly string[]): Promise<void> {
  const isOurs = (name: string) => ours.some((own) => name === own || name.startsWith(`${own}.`))
  const names = (await readdir(folder)).filter((name) => !isOurs(name))
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true })
}

function buildGeminiSettings({ models, thinkingBudget, maxAttempts, authType, reads }: GeminiOptions): object {
  const thinks = thinkingBudget !== undefined && thinkingBudget > 0
  const customOverrides = models.map((model) => ({
    match: { model },
    modelConfig: { generateContentConfig: { thinkingConfig: { thinkingBudget } } },
  }))
  return {
    general: {
      maxAttempts,
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      checkpointing: { enabled: false },
      // Otherwise mode `plan` picks another model than the requested one.
      plan: { modelRouting: false },
    },
    context: {
      memoryBoundaryMarkers: [],
      includeDirectoryTree: false,
      // A diff is full of "@", and each would start a search for a file of that name.
      fileFiltering: { enableRecursiveFileSearch: false },
    },
    // Compact verdicts on many issues repeat themselves, which the detector takes for a loop: it ends the answer, with status 0.
    model: { disableLoopDetection: true },
    // Without a tree to read, a challenger needs no tools: the diff is in its prompt. A name that no tool has leaves none.
    tools: { core: reads ? READING_TOOLS : ['none'] },
    advanced: { ignoreLocalEnv: true },
    experimental: { enableAgents: false },
    skills: { enabled: false },
    hooksConfig: { enabled: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ...(authType === undefined ? {} : { security: { auth: { selectedType: authType } } }),
    ...(thinks ? { modelConfigs: { customOverrides } } : {}),
  }
}

const OperatorSettings = z.looseObject({
  security: z.looseObject({ auth: z.looseObject({ selectedType: z.string().optional() }).optional() }).optional(),
})

export interface GeminiLogin {
  /** From the operator's own `.env`, which the CLI would find by itself if the search did not end in our folder. */
  readonly variables: NodeJS.ProcessEnv
  /** Set if the operator gave a key and never chose how to sign in: without a choice the CLI ends with status 41. */
  readonly authType: string | undefined
}

export async function readGeminiLogin(operator: NodeJS.ProcessEnv): Promise<GeminiLogin> {
  const home = operator.GEMINI_CLI_HOME ?? operator.HOME ?? homedir()
  const settings = OperatorSettings.safeParse(
    parseJsonIfValid(await readFileOr(join(home, '.gemini', 'settings.json'), '{}')),
  )
  const file = (await readFileOr(join(home, '.gemini', '.env'), '')) || (await readFileOr(join(home, '.env'), ''))
  const variables = selectGeminiVariables(parseEnv(file))
  const chosen = settings.data?.security?.auth?.selectedType
  return {
    variables,
    authType: chosen === undefined ? detectAuthType({ ...variables, ...selectGeminiVariables(operator) }) : undefined,
  }
}

function detectAuthType(environment: NodeJS.ProcessEnv): string | undefined {
  if (environment.GOOGLE_GENAI_USE_GCA === 'true') return 'oauth-personal'
  if (environment.GOOGLE_GENAI_USE_VERTEXAI === 'true') return 'vertex-ai'
  return environment.GEMINI_API_KEY ? 'gemini-api-key' : undefined
}

async function readFileOr(file: string, otherwise: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    return otherwise
  }
}
