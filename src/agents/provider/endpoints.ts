// Lists the endpoints that a CLI needs, for the model and for renewing its sign-in, from the variables that the CLI itself uses.
// Endpoints that these don't name belong in `sandbox.endpoints`.
import { type Endpoint, parseEndpoint } from '../../platform/sandbox/egress/upstream-proxy.ts'
import type { AgentName } from '../definitions.ts'
import { isSwitchedOn } from './environment.ts'

export function listClaudeEndpoints(env: NodeJS.ProcessEnv): Endpoint[] {
  if (isSwitchedOn(env.CLAUDE_CODE_USE_BEDROCK)) return listBedrockEndpoints(env)
  if (isSwitchedOn(env.CLAUDE_CODE_USE_VERTEX)) return listVertexEndpoints(env, env.ANTHROPIC_VERTEX_BASE_URL)
  if (isSwitchedOn(env.CLAUDE_CODE_USE_FOUNDRY)) {
    const resource = env.ANTHROPIC_FOUNDRY_RESOURCE
    const host = resource ? `${resource}.services.ai.azure.com` : undefined
    return parseEndpoints(env.ANTHROPIC_FOUNDRY_BASE_URL ?? host, 'login.microsoftonline.com')
  }
  const signedIn = env.ANTHROPIC_API_KEY || env.ANTHROPIC_AUTH_TOKEN || env.CLAUDE_CODE_OAUTH_TOKEN
  return parseEndpoints(env.ANTHROPIC_BASE_URL || 'api.anthropic.com', signedIn ? undefined : 'platform.claude.com')
}

export function listGeminiEndpoints(env: NodeJS.ProcessEnv): Endpoint[] {
  if (env.GOOGLE_GEMINI_BASE_URL) return parseEndpoints(env.GOOGLE_GEMINI_BASE_URL)
  const key = isSwitchedOn(env.GOOGLE_GENAI_USE_VERTEXAI) ? undefined : env.GEMINI_API_KEY
  if (key) return parseEndpoints('generativelanguage.googleapis.com')
  const assist = env.CODE_ASSIST_ENDPOINT || 'cloudcode-pa.googleapis.com'
  return [...parseEndpoints(assist, 'www.googleapis.com'), ...listVertexEndpoints(env, env.GOOGLE_VERTEX_BASE_URL)]
}

/** The provider behind an agent's role, and where it is reached. */
export function describeProvider(role: AgentName, env: NodeJS.ProcessEnv): string {
  const [name, endpoints] =
    role === 'fix_challenger' || role === 'voter_gemini'
      ? ['gemini', listGeminiEndpoints(env)]
      : ['claude', listClaudeEndpoints(env)]
  const [first] = endpoints
  return first === undefined ? `${name}'s provider` : `${name} at ${first.host}:${first.port}`
}

function listBedrockEndpoints(env: NodeJS.ProcessEnv): Endpoint[] {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1'
  const services = ['bedrock-runtime', 'bedrock', 'sts', 'oidc', 'portal.sso'].map(
    (service) => `${service}.${region}.amazonaws.com`,
  )
  return parseEndpoints(env.ANTHROPIC_BEDROCK_BASE_URL, 'sts.amazonaws.com', ...services)
}

function listVertexEndpoints(env: NodeJS.ProcessEnv, base: string | undefined): Endpoint[] {
  const regions = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith('VERTEX_REGION_') || ['CLOUD_ML_REGION', 'GOOGLE_CLOUD_LOCATION'].includes(name) ? [value] : [],
  )
  const hosts = regions.map((region) => `${region}-aiplatform.googleapis.com`)
  return parseEndpoints(base, 'aiplatform.googleapis.com', 'oauth2.googleapis.com', 'sts.googleapis.com', ...hosts)
}

function parseEndpoints(...texts: readonly (string | undefined)[]): Endpoint[] {
  return texts.flatMap((text) => (text ? (parseEndpoint(text) ?? []) : []))
}
