// Opens the home for a command, and closes it afterwards.
import { type AppContext, type AppOptions, openApp } from '../../app/context.ts'
import { describeTerminalHost, paint, printNotice } from '../terminal/console.ts'

export async function withApp<T>(
  use: (app: AppContext) => Promise<T>,
  options: Pick<AppOptions, 'flags' | 'lease'> = {},
): Promise<T> {
  const app = await openApp({
    ...options,
    env: process.env,
    from: describeTerminalHost(),
    isSenderChecked: true,
    onProgress: (text, kind) => printNotice(kind === 'step' ? paint('dim', text) : text),
  })
  try {
    return await use(app)
  } finally {
    await app.close()
  }
}
