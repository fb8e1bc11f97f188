// Finds the Temporal server's executable by trying each source in turn. If none has one, the error lists each source's reason and what a
// person can do.
import { EXECUTABLE_SOURCES, type ExecutableSearch, type ExecutableSource } from './download-sources.ts'

export interface TemporalExecutable {
  readonly path: string
  readonly source: string
}

export async function findTemporalExecutable(
  search: ExecutableSearch,
  sources: readonly ExecutableSource[] = EXECUTABLE_SOURCES,
): Promise<TemporalExecutable> {
  const tried: string[] = []
  for (const source of sources) {
    try {
      const found = await source.find(search)
      if (typeof found === 'string') return { path: found, source: source.name }
      tried.push(`${source.name}: ${found.absent}`)
    } catch (error) {
      const reason = `${source.name}: ${error instanceof Error ? error.message : String(error)}`
      if (source.isBinding) throw new Error(`Temporal can't be started with ${reason}. ${ADVICE}`)
      tried.push(reason)
      search.onStep(`Temporal not from ${reason}`)
    }
  }
  throw new Error(
    ['No Temporal server was found or could be fetched:', ...tried.map((line) => `  - ${line}`), ADVICE].join('\n'),
  )
}

const ADVICE = `What helps, any of these:
  - install the Temporal CLI (https://docs.temporal.io/cli), so that \`temporal\` is on your PATH
  - name its executable in FIXWRIGHT_TEMPORAL_CLI or the setting temporal.cli
  - use a cluster that runs already: --temporal HOST:PORT, or TEMPORAL_ADDRESS`
