// `fixwright report SESSION`: what was fixed, with the evidence, fit to paste into a pull request. It starts nothing.
import { writeFile } from 'node:fs/promises'
import { FixwrightError } from '../../app/errors.ts'
import { describeWriteError } from '../../app/format-values.ts'
import { REPORT_FORMATS } from '../../app/report/render/formats.ts'
import { renderSessionReport } from '../../app/report/render-session-report.ts'
import { parseChoice } from '../options/shared.ts'
import { resolveSession } from '../session/resolve-session.ts'
import { withApp } from '../session/with-app.ts'
import { printNotice } from '../terminal/console.ts'
import { printPaged } from '../terminal/pager.ts'

export interface ReportOptions {
  readonly format: string
  /** The format json under the name that other commands have for it. */
  readonly json: boolean
  readonly output?: string | undefined
}

export async function runReportCommand(
  typed: string | undefined,
  { format, json, output }: ReportOptions,
): Promise<number> {
  const wanted = parseChoice('--format', json ? 'json' : format, REPORT_FORMATS)
  return withApp(async (app) => {
    const session = await resolveSession(app, typed)
    const { text, isOver } = await renderSessionReport(app, session, wanted)
    if (!isOver) printNotice(`session ${session.session_id} is not over: this is what there is so far`)
    if (output === undefined) {
      if (process.stdout.isTTY) await printPaged(text.trimEnd())
      else process.stdout.write(text)
    } else {
      await writeFile(output, text).catch((error: unknown) => {
        throw new FixwrightError('file_unusable', `--output ${output} can't be written: ${describeWriteError(error)}`)
      })
      printNotice(`written to ${output}`)
    }
    return 0
  })
}
