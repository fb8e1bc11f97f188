// Where each CLI has to go: the model, and where its sign-in is refreshed. Told from the same variables that the CLI goes by; what they
// don't tell the operator names in `sandbox.endpoints`.
import { type Endpoint, endpointOf } from '../../platform/sandbox/egress/upstream-proxy.ts'
import { isOn } from './environment.ts'

export function claudeEndpoints(env: NodeJS.ProcessEnv): Endpoint[] {
  if (isOn(env.CLAUDE_CODE_USE_BEDROCK)) return bedrock(env)
  if (isOn(env.CLAUDE_CODE_USE_VERTEX)) return vertex(env, env.ANTHROPIC_VERTEX_BASE_URL)
  if (isOn(env.CLAUDE_CODE_USE_FOUNDRY)) {
    const resource = env.ANTHROPIC_FOUNDRY_RESOURCE
    const host = resource ? `${resource}.services.ai.azure.com` : undefined
    return all(env.ANTHROPIC_FOUNDRY_BASE_URL ?? host, 'login.microsoftonline.com')
  }
  const signedIn = env.ANTHROPIC_API_KEY || env.ANTHROPIC_AUTH_TOKEN || env.CLAUDE_CODE_OAUTH_TOKEN
  return all(env.ANTHROPIC_BASE_URL || 'api.anthropic.com', signedIn ? undefined : 'platform.claude.com')
}

export function geminiEndpoints(env: NodeJS.ProcessEnv): Endpoint[] {
  if (env.GOOGLE_GEMINI_BASE_URL) return all(env.GOOGLE_GEMINI_BASE_URL)
  const key = isOn(env.GOOGLE_GENAI_USE_VERTEXAI) ? undefined : env.GEMINI_API_KEY
  if (key) return all('generativelanguage.googleapis.com')
  const assist = env.CODE_ASSIST_ENDPOINT || 'cloudcode-pa.googleapis.com'
  return [...all(assist, 'www.googleapis.com'), ...vertex(env, env.GOOGLE_VERTEX_BASE_URL)]
}

function bedrock(env: NodeJS.ProcessEnv): Endpoint[] {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1'
  const services = ['bedrock-runtime', 'bedrock', 'sts', 'oidc', 'portal.sso'].map(
    (service) => `${service}.${region}.amazonaws.com`,
  )
  return all(env.ANTHROPIC_BEDROCK_BASE_URL, 'sts.amazonaws.com', ...services)
}

function vertex(env: NodeJS.ProcessEnv, base: string | undefined): Endpoint[] {
  const regions = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith('VERTEX_REGION_') || ['CLOUD_ML_REGION', 'GOOGLE_CLOUD_LOCATION'].includes(name) ? [value] : [],
  )
  const hosts = regions.map((region) => `${region}-aiplatform.googleapis.com`)
  return all(base, 'aiplatform.googleapis.com', 'oauth2.googleapis.com', 'sts.googleapis.com', ...hosts)
}

function all(...texts: readonly (string | undefined)[]): Endpoint[] {
  return texts.flatMap((text) => (text ? (endpointOf(text) ?? []) : []))
}
