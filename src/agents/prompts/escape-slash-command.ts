// Keeps a prompt from being read as a command of the CLI: a first character "/" starts one in both.

export function escapeSlashCommand(prompt: string): string {
  return /^\s*[/!#?]/.test(prompt) ? `The task follows.\n\n${prompt}` : prompt
}
