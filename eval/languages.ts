// How hidden tests run in each language, with nothing but its toolchain: no packages, no network.
import { spawnSync } from 'node:child_process'

export interface Language {
  /** Answers with status 0 where the toolchain is installed. */
  readonly probe: string
  /** Runs the hidden tests in a copy of the case's folder. */
  readonly run: string
  /** Files that every case of the language has. */
  readonly files: Readonly<Record<string, string>>
}

export const LANGUAGES = {
  python: { probe: 'python3 --version', run: 'python3 -B hidden_test.py', files: {} },
  javascript: {
    probe: 'node --version',
    run: 'node hidden.test.mjs',
    files: { 'package.json': '{"type":"module"}\n' },
  },
  typescript: { probe: 'node --version', run: 'node hidden.test.ts', files: { 'package.json': '{"type":"module"}\n' } },
  go: { probe: 'go version', run: 'go test', files: { 'go.mod': 'module shop\n\ngo 1.22\n' } },
  rust: { probe: 'rustc --version', run: 'rustc --edition 2021 --test -o hidden hidden.rs && ./hidden', files: {} },
  java: { probe: 'javac -version', run: 'javac *.java && java -ea Hidden', files: {} },
  c: { probe: 'cc --version', run: 'cc -std=c11 -o hidden hidden.c && ./hidden', files: {} },
  shell: { probe: 'true', run: 'sh hidden.sh', files: {} },
} as const satisfies Readonly<Record<string, Language>>

export type LanguageName = keyof typeof LANGUAGES
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as LanguageName[]

export function isInstalled(name: LanguageName): boolean {
  return spawnSync('/bin/sh', ['-c', LANGUAGES[name].probe], { stdio: 'ignore' }).status === 0
}
