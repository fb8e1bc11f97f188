/** One key for all that a tool calls itself: `Semgrep OSS` and `Semgrep` are one. */
export function toToolKey(tool: string): string {
  const key = tool
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return key.replace(/^semgrep-(oss|pro)$/, 'semgrep') || 'tool'
}
