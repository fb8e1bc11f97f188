// Keeps a prompt from being read as a command: both CLIs take a first character "/" for one.

export function escapeSlashCommand(prompt: string): string {
  return /^\s*[/!#?]/.test(prompt) ? `The task follows.\n\n${prompt}` : prompt
}
