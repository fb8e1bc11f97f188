// The pull request that a person names.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { type ForgeAddress, parsePull } from '../../domain/forge/forge-address.ts'

export function parsePullAddress(
  typed: string,
  host: string,
): {
  readonly address: ForgeAddress
  readonly number: number
} {
  const pull = parsePull(typed)
  if (pull === undefined) {
    throw new FixwrightError(
      'bad_input',
      `"${typed}" names no pull request: give owner/name#12, or the address of its page`,
    )
  }
  return { address: { owner: pull.owner, name: pull.name, host: pull.host ?? host }, number: pull.number }
}
