// Recognises setups whose products depend on manifests and lockfiles alone, so that a copy serves every tree with the same ones. A setup
// that builds or installs the project itself depends on its sources, and has to run on each tree.

/** Texts by path: every package.json, and what pip is told to install. */
export type ManifestTexts = ReadonlyMap<string, string>

const FLAGS = String.raw`(?: --?[\w-]+(?:[= ](?![-.\w]*\/|\.)[\w.:@]+)?)*`
const PACKAGE = String.raw`[A-Za-z][\w.-]*(?:\[[\w,-]+\])?(?:[=<>!~]=?[\w.*]+)?`
const PIP_ARGUMENTS = String.raw`(?: (?:-r|--requirement)[ =]?[\w./-]+| -[qUIv]+| --(?:quiet|upgrade|no-cache-dir|disable-pip-version-check|no-input|require-hashes)| ${PACKAGE})+`
const INSTALLERS: readonly RegExp[] = [
  new RegExp(`^npm (?:ci|install|i)${FLAGS}$`),
  new RegExp(`^(?:corepack )?pnpm (?:install|i)${FLAGS}$`),
  new RegExp(`^(?:corepack )?yarn(?: install)?${FLAGS}$`),
  new RegExp(`^bun install${FLAGS}$`),
  /^(?:[\w./-]*python[\d.]* -m venv|virtualenv|uv venv)(?: [\w./-]+)*$/,
  new RegExp(`^(?:[\\w./-]*python[\\d.]* -m pip|[\\w./-]*pip[\\d.]*|uv pip) install${PIP_ARGUMENTS}$`),
  /^poetry install(?: -[qn]+| --(?:no-interaction|quiet|with[ =]\w+))* --no-root(?: --(?:no-interaction|quiet|with[ =]\w+))*$/,
  /^uv sync(?: --(?:frozen|locked|quiet|dev|all-groups))* --no-install-project(?: --(?:frozen|locked|quiet|dev|all-groups))*$/,
  /^go mod download(?: -x)?$/,
  /^cargo fetch(?: --(?:locked|quiet))*$/,
]
/** No installers of their own, but parts of a command with one. */
const HARMLESS = [/^cd [\w./-]+$/, /^set -[eux]+$/]
const LIFECYCLE = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare']
const PACKAGE_JSON = /(?:^|\/)package\.json$/
const REQUIREMENTS = /requirements[^/]*\.(?:txt|in)$|(?:^|\/)requirements\/[^/]+$/
/** A line of pip's that installs a folder or a file of the tree. */
const FROM_TREE = /^\s*(?:-e\b|--editable\b|\.|\/|file:|[\w.-]+\s*@\s*file:|[\w-]+\/)/m

/** Why products of this setup can't be shared; undefined if they can. */
export function findSetupDependence(commands: readonly string[], manifests: ManifestTexts): string | undefined {
  const parts = commands.flatMap((command) => command.split(/&&|;|\n/)).map(toInstallerCall)
  const known = parts.filter((part) => part !== '' && !HARMLESS.some((pattern) => pattern.test(part)))
  const other = known.find((part) => !INSTALLERS.some((pattern) => pattern.test(part)))
  if (other !== undefined) return `"${other}" may depend on more than manifests and lockfiles`
  const runsScripts = known.some(
    (part) => /^(?:corepack )?(?:npm|pnpm|yarn|bun)\b/.test(part) && !part.includes('--ignore-scripts'),
  )
  for (const [path, text] of manifests) {
    if (PACKAGE_JSON.test(path) && runsScripts && hasLifecycleScript(text))
      return `${path} has scripts that an install runs`
    if (REQUIREMENTS.test(path) && FROM_TREE.test(text)) return `${path} installs a part of the tree`
  }
  return manifests.has('binding.gyp') ? 'binding.gyp is built by an install' : undefined
}

/** Without variables before it. */
function toInstallerCall(part: string): string {
  return part
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/^(?:env )?(?:[A-Z_]+=[\w./:,@=-]* )+/, '')
}

function hasLifecycleScript(text: string): boolean {
  try {
    const { scripts = {} } = JSON.parse(text) as { readonly scripts?: Readonly<Record<string, unknown>> }
    return LIFECYCLE.some((name) => name in scripts) || /"(?:file|link|portal):/.test(text)
  } catch {
    return true
  }
}

/** Whether the file may decide what an installer does, besides manifests and lockfiles. */
export function steersInstaller(path: string): boolean {
  return /(?:^|\/)\.[^/]+|patch|constraints|requirements|(?:^|\/)binding\.gyp$/i.test(path)
}

/** Whether its text has to be read to know. */
export function isInstallerManifest(path: string): boolean {
  return PACKAGE_JSON.test(path) || REQUIREMENTS.test(path) || path === 'binding.gyp'
}
