// The analysers whose reports the importers are tested with: how each is installed into a folder of its own, and how it is run.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the analysers take a repository's own path for in a recorded report. */
export const RECORDED_ROOT = '/recorded/sample'

interface Analyser {
  readonly from: 'npm' | 'pip' | 'go'
  readonly packages: readonly string[]
  /** The arguments for each report, by the report's name; `TOOLS` stands for the folder of the tools. */
  readonly reports: Readonly<Record<string, readonly string[]>>
}

const FORMATTERS = 'TOOLS/npm/node_modules'
const NPM = 'TOOLS/npm/node_modules/.bin'
const PIP = 'TOOLS/pip/bin'
const RUFF = [`${PIP}/ruff`, 'check', '--no-cache', '--select', 'F,E,S', '--output-format']
const SEMGREP = [`${PIP}/semgrep`, 'scan', '--metrics', 'off', '--disable-version-check', '--config', 'semgrep.yml']

export const ANALYSERS: Readonly<Record<string, Analyser>> = {
  eslint: {
    from: 'npm',
    packages: [
      'eslint@10.15.0',
      '@microsoft/eslint-formatter-sarif@3.1.0',
      'eslint-formatter-codeclimate@2.0.1',
      'eslint-formatter-rdjson@1.0.6',
    ],
    reports: {
      'eslint.json': [`${NPM}/eslint`, '.', '-f', 'json'],
      'eslint.sarif.json': [`${NPM}/eslint`, '.', '-f', `${FORMATTERS}/@microsoft/eslint-formatter-sarif/sarif.js`],
      'eslint.codeclimate.json': [
        `${NPM}/eslint`,
        '.',
        '-f',
        `${FORMATTERS}/eslint-formatter-codeclimate/lib/eslint-formatter-codeclimate.js`,
      ],
      'eslint.rdjson.json': [`${NPM}/eslint`, '.', '-f', `${FORMATTERS}/eslint-formatter-rdjson/index.js`],
    },
  },
  biome: {
    from: 'npm',
    packages: ['@biomejs/biome@2.6.7'],
    reports: {
      'biome.sarif.json': [`${NPM}/biome`, 'lint', '--reporter=sarif', 'web'],
      'biome.codeclimate.json': [`${NPM}/biome`, 'lint', '--reporter=gitlab', 'web'],
      'biome.rdjson.json': [`${NPM}/biome`, 'lint', '--reporter=rdjson', 'web'],
    },
  },
  oxlint: {
    from: 'npm',
    packages: ['oxlint@1.93.0'],
    reports: {
      'oxlint.sarif.json': [`${NPM}/oxlint`, '-D', 'correctness', '-D', 'restriction', '-f', 'sarif', 'web'],
      'oxlint.codeclimate.json': [`${NPM}/oxlint`, '-D', 'correctness', '-D', 'restriction', '-f', 'gitlab', 'web'],
    },
  },
  ruff: {
    from: 'pip',
    packages: ['ruff==0.17.5'],
    reports: {
      'ruff.sarif.json': [...RUFF, 'sarif', '.'],
      'ruff.codeclimate.json': [...RUFF, 'gitlab', '.'],
      'ruff.rdjson.json': [...RUFF, 'rdjson', '.'],
    },
  },
  bandit: {
    from: 'pip',
    packages: ['bandit[sarif]==1.9.4'],
    reports: { 'bandit.sarif.json': [`${PIP}/bandit`, '-q', '-r', 'service', '-f', 'sarif'] },
  },
  semgrep: {
    from: 'pip',
    packages: ['semgrep==1.182.0'],
    reports: { 'semgrep.sarif.json': [...SEMGREP, '--sarif', '.'], 'semgrep.json': [...SEMGREP, '--json', '.'] },
  },
  gosec: {
    from: 'go',
    packages: ['github.com/securego/gosec/v2/cmd/gosec@v2.22.8'],
    reports: {
      'gosec.sarif.json': ['TOOLS/go/gosec', '-quiet', '-track-suppressions', '-fmt', 'sarif', './tools/...'],
    },
  },
  staticcheck: {
    from: 'go',
    packages: ['honnef.co/go/tools/cmd/staticcheck@v0.8.2'],
    reports: { 'staticcheck.sarif.json': ['TOOLS/go/staticcheck', '-f', 'sarif', './tools/...'] },
  },
}

export function installAnalysers(tools: string, names: readonly string[] = Object.keys(ANALYSERS)): void {
  const wanted = names.map((name) => ANALYSERS[name]).filter((one) => one !== undefined)
  const packages = (from: Analyser['from']) => wanted.flatMap((one) => (one.from === from ? one.packages : []))
  const run = (command: string, args: readonly string[], cwd: string, env: object = {}): void =>
    void execFileSync(command, args, { cwd, stdio: 'ignore', env: { ...process.env, ...env } })
  mkdirSync(tools, { recursive: true })
  if (packages('npm').length > 0) {
    mkdirSync(join(tools, 'npm'), { recursive: true })
    writeFileSync(join(tools, 'npm/package.json'), '{}')
    run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages('npm')], join(tools, 'npm'))
  }
  if (packages('pip').length > 0) {
    if (!existsSync(join(tools, 'pip'))) run('python3', ['-m', 'venv', 'pip'], tools)
    run('pip/bin/pip', ['install', '--quiet', ...packages('pip')], tools)
  }
  for (const each of packages('go')) run('go', ['install', each], tools, { GOBIN: join(tools, 'go') })
}

/** The report that an analyser makes of the repository at `root`, as it came. */
export function runAnalyser(tools: string, root: string, command: readonly string[]): string {
  const [program = '', ...args] = command.map((word) => word.replace('TOOLS', tools))
  // Semgrep finds its own parts by the PATH.
  const env = { ...process.env, PATH: `${join(tools, 'pip/bin')}:${process.env.PATH}` }
  const { stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8', env, maxBuffer: 1 << 26 })
  if (error || stdout.trim() === '') throw new Error(`${command.join(' ')} wrote no report: ${error ?? stderr}`)
  return stdout
}
