// `fixwright completion SHELL`: a script that completes commands, options and the ids of sessions. It is made of the commands' own
// definitions, so it is never behind them.
import { listSessions } from '../../app/session/find-sessions.ts'
import { withApp } from '../session/with-app.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const

export interface CompletedCommand {
  readonly name: string
  readonly description: string
  readonly options: readonly { readonly long: string; readonly description: string }[]
  readonly takesSession: boolean
}

const SESSIONS = 'fixwright completion sessions 2>/dev/null'

export function renderCompletion(shell: (typeof SHELLS)[number], commands: readonly CompletedCommand[]): string {
  switch (shell) {
    case 'bash':
      return renderBash(commands)
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${renderBash(commands)}`
    case 'fish':
      return renderFish(commands)
  }
}

/** The ids that the scripts ask for. */
export async function listCompletedSessions(): Promise<string[]> {
  return withApp(async (app) => (await listSessions(app, { limit: 50 })).sessions.map(({ session_id }) => session_id))
}

function renderBash(commands: readonly CompletedCommand[]): string {
  const options = commands.map(
    ({ name, options }) => `    ${name}) words='${options.map(({ long }) => long).join(' ')}' ;;`,
  )
  const withSession = commands.filter(({ takesSession }) => takesSession).map(({ name }) => name)
  return `# fixwright: source <(fixwright completion bash)
_fixwright() {
  local cur=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$cur"))
    return
  fi
  case "$command" in
${options.join('\n')}
  esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
  esac
  case "$command" in
    ${withSession.join('|')}) [ "$COMP_CWORD" -eq 2 ] && COMPREPLY=($(compgen -W "$(${SESSIONS})" -- "$cur")) ;;
  esac
}
complete -o default -F _fixwright fixwright`
}

function renderFish(commands: readonly CompletedCommand[]): string {
  const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
  const lines = commands.flatMap(({ name, description, options, takesSession }) => [
    `complete -c fixwright -n __fish_use_subcommand -f -a ${name} -d ${quote(description)}`,
    ...options.map(
      ({ long, description: what }) =>
        `complete -c fixwright -n '__fish_seen_subcommand_from ${name}' -l ${long.slice(2)} -d ${quote(what)}`,
    ),
    ...(takesSession ? [`complete -c fixwright -n '__fish_seen_subcommand_from ${name}' -f -a '(${SESSIONS})'`] : []),
  ])
  return ['# fixwright: fixwright completion fish | source', ...lines].join('\n')
}
