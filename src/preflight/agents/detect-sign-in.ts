// Guesses whether a CLI is signed in, from set variables and existing files; it shows neither and asks no provider.
// Gaps: a revoked key looks valid, and Claude's sign-in in the macOS keychain is not found.
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Vendor } from '../../agents/cli-version.ts'
import type { Environment } from '../../runtime/home/home.ts'

/** `where`: the name of a variable or file, never its content. */
export type SignIn = { readonly kind: 'found'; readonly where: string } | { readonly kind: 'none' | 'unknown' }

const CLAUDE_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
]
const GEMINI_VARIABLES = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA']

export function detectSignIn(vendor: Vendor, env: Environment): SignIn {
  return vendor === 'claude' ? detectClaudeSignIn(env) : detectGeminiSignIn(env)
}

function detectClaudeSignIn(env: Environment): SignIn {
  const folder = env.CLAUDE_CONFIG_DIR || join(userFolder(env), '.claude')
  const helper = /"apiKeyHelper"\s*:/
  return (
    findSetVariable(env, CLAUDE_VARIABLES) ??
    findSignInFile(join(folder, '.credentials.json')) ??
    findSignInFile(join(folder, 'settings.json'), helper) ?? {
      kind: process.platform === 'darwin' ? 'unknown' : 'none',
    }
  )
}

function detectGeminiSignIn(env: Environment): SignIn {
  const home = env.GEMINI_CLI_HOME || userFolder(env)
  const key = /^\s*(export\s+)?(GEMINI|GOOGLE)_API_KEY\s*=\s*\S/m
  return (
    findSetVariable(env, GEMINI_VARIABLES) ??
    findSignInFile(join(home, '.gemini', 'oauth_creds.json')) ??
    findSignInFile(join(home, '.gemini', '.env'), key) ??
    findSignInFile(join(home, '.env'), key) ?? { kind: 'none' }
  )
}

function findSetVariable(env: Environment, names: readonly string[]): SignIn | undefined {
  const name = names.find((each) => env[each])
  return name === undefined ? undefined : { kind: 'found', where: name }
}

function findSignInFile(path: string, holding?: RegExp): SignIn | undefined {
  if (!existsSync(path)) return undefined
  if (holding !== undefined && !holding.test(readFileSync(path, 'utf8'))) return undefined
  return { kind: 'found', where: path }
}

function userFolder(env: Environment): string {
  return env.HOME || homedir()
}
