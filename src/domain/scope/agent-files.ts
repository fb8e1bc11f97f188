// Recognises files that instruct or configure an agent, and those that its CLI reads by itself, by their names alone.

const NAMES =
  /^(?:(?:claude|claude\.local|agents?|gemini|qwen|crush|warp|jules|replit)\.md|\.mcp\.json|\.env(?:\..*)?|\.\w*ignore|\.?(?:cursor|windsurf|cline|roo|continue)rules)$/
const FOLDERS = /^\.(?:claude|gemini|codex|cursor|windsurf|continue|aider|kiro|junie|opencode|agents?)$/

export function isAgentFile(path: string): boolean {
  const names = path.toLowerCase().split('/')
  return NAMES.test(names.at(-1) ?? '') || names.slice(0, -1).some((name) => FOLDERS.test(name))
}
