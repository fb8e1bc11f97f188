// `fixwright report SESSION`: what was fixed, with the evidence, fit to paste into a pull request. It starts nothing.
import { writeFile } from 'node:fs/promises'
import { FixwrightError } from '../../app/errors.ts'
import { describeWriteError } from '../../app/format.ts'
import { buildReport } from '../../app/report/build-report.ts'
import { REPORT_FORMATS, renderReport } from '../../app/report/render/formats.ts'
import { findSession } from '../../app/session/find-sessions.ts'
import { parseChoice } from '../options/shared.ts'
import { withApp } from '../session/with-app.ts'
import { printNotice } from '../terminal/console.ts'

export interface ReportOptions {
  readonly format: string
  readonly output?: string | undefined
}

export async function runReportCommand(typed: string, { format, output }: ReportOptions): Promise<number> {
  const wanted = parseChoice('--format', format, REPORT_FORMATS)
  return withApp(async (app) => {
    const found = await buildReport(app, await findSession(app, typed))
    const text = renderReport(found, wanted)
    if (!found.is_over) printNotice(`session ${found.session_id} is not over: this is what there is so far`)
    if (output === undefined) process.stdout.write(text)
    else {
      await writeFile(output, text).catch((error: unknown) => {
        throw new FixwrightError('file_unusable', `--output ${output} can't be written: ${describeWriteError(error)}`)
      })
      printNotice(`written to ${output}`)
    }
    return 0
  })
}
