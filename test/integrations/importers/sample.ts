// A small repository for analysers: equal findings, suppressed ones, and in each language a file that can't be parsed.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const SAMPLE: Readonly<Record<string, string>> = {
  'web/src/cart.js': `export function total(items, formula) {
  if (items == null) return 0
  let unused = 1
  const sum = eval(formula)
  if (sum == '0') return 0
  return items.length == 0 || sum == '' ? 0 : sum
}

export function discount(items, formula) {
  const sum = eval(formula)
  if (sum == '0') return 0
  // eslint-disable-next-line eqeqeq -- the old API sends both
  if (sum == items) return 1
  debugger
  return sum
}
`,
  'web/src/broken.js': 'export function broken( {\n  return 1\n',
  'service/app.py': `import os
import subprocess
import sys  # noqa: F401


def run(command):
    subprocess.call(command, shell=True)
    subprocess.call(command, shell=True)


def trusted(command):
    subprocess.call(command, shell=True)  # nosec B602  # nosemgrep  # noqa: S602


def check(user):
    assert user
    password = "hunter2-hunter2"
    return eval(user)
`,
  'service/broken.py': 'def broken(:\n    return 1\n',
  'tools/main.go': `package main

import (
\t"crypto/md5"
\t"fmt"
\t"os"
\t"os/exec"
)

func main() {
\tname := os.Args[1]
\texec.Command(name).Run()
\texec.Command(name).Run()
\t// #nosec G204 -- the operator names it
\texec.Command(name).Run()
\tfmt.Println(md5.New())
\tif name == name {
\t\tfmt.Println("same")
\t}
\t//lint:ignore SA4000 it is a sample
\tif name == name {
\t\tfmt.Println("same again")
\t}
}
`,
  'go.mod': 'module example.org/sample\n\ngo 1.22\n',
  'tools/broken/broken.go': 'package broken\n\nfunc broken( {\n',
}

/** What the analysers are told, apart from the repository's own files. */
export const ANALYSER_FILES: Readonly<Record<string, string>> = {
  'eslint.config.mjs': `export default [{
  files: ['**/*.js'],
  rules: { eqeqeq: 'error', 'no-eval': 'error', 'no-unused-vars': 'warn', 'no-debugger': 'warn' },
}]
`,
  'biome.json': '{ "formatter": { "enabled": false }, "assist": { "enabled": false } }\n',
  'semgrep.yml': `rules:
  - id: sample.shell-true
    languages: [python]
    message: Starts a shell for $CMD
    severity: ERROR
    metadata: { category: security, cwe: 'CWE-78: OS Command Injection' }
    pattern: subprocess.call($CMD, ..., shell=True, ...)
  - id: sample.no-eval
    languages: [python, javascript]
    message: Evaluates what comes from outside
    severity: WARNING
    pattern: eval(...)
`,
}

export function writeSample(folder: string, files: Readonly<Record<string, string>> = SAMPLE): void {
  for (const [path, content] of Object.entries({ ...files, ...ANALYSER_FILES })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}
