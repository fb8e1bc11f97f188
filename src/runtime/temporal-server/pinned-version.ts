// Pins what may be downloaded: one version, and the executable by its hash, the same in the official release and the wheel.
// `go install` builds its own file, so its pin is the module's version, which Go checks against its checksum database.

export interface PinnedVersion {
  readonly version: string
  /** `process.platform`-`process.arch` → sha256 of the executable. */
  readonly executables: Readonly<Record<string, string>>
}

// `go install` can't install newer tags: their go.mod has a replace directive.
export const GO_INSTALL_VERSION = '1.5.1'

export const PINNED_TEMPORAL: PinnedVersion = {
  version: '1.9.1',
  executables: {
    'linux-x64': '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
    'linux-arm64': '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
    'darwin-x64': 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
    'darwin-arm64': '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  },
}

export function getPinnedHash(pin: PinnedVersion): string {
  const platform = `${process.platform}-${process.arch}`
  const hash = pin.executables[platform]
  if (hash === undefined) throw new Error(`no executable is pinned for ${platform}`)
  return hash
}

/** Required by update-with-start, workflow summaries and activity pause. */
const OLDEST_SERVER = [1, 28] as const

/** Why the output of `temporal --version` is not acceptable; undefined if it is. */
export function describeVersionProblem(text: string): string | undefined {
  const server = /Server (\d+)\.(\d+)/.exec(text)
  if (!server) return `its version can't be read from "${text.trim().slice(0, 80)}"`
  const [major, minor] = [Number(server[1]), Number(server[2])]
  const enough = major > OLDEST_SERVER[0] || (major === OLDEST_SERVER[0] && minor >= OLDEST_SERVER[1])
  return enough
    ? undefined
    : `it holds server ${major}.${minor}, and ${OLDEST_SERVER.join('.')} is the oldest that will do`
}
