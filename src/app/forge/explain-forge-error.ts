// Turns what a forge answers into an error with a code and a way on, for calls that no workflow makes.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { ForgeError } from '../../integrations/forge/forge.ts'

const CODES = {
  limited: 'forge_unreachable',
  lost: 'forge_unreachable',
  unauthorised: 'forge_not_signed_in',
  refused: 'forge_refused',
  not_found: 'forge_refused',
} as const

export async function explainForgeError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error
    const { kind, message, needs, until } = error
    const help = needs === undefined ? '' : `; the credential would need ${needs}`
    const wait = kind === 'limited' && until !== undefined ? `; try again after ${new Date(until).toISOString()}` : ''
    throw new FixwrightError(
      CODES[kind],
      `${message}${help}${wait}: "fixwright github doctor" says what the credential may`,
    )
  }
}
