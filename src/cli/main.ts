// The terminal commands. This is the frame that the package test needs; the commands come with their own files.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from 'commander'
import { packageRoot } from '../runtime/package-root.ts'

const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }
await program.name('fixwright').description('Turns review findings into commits that someone can trust').version(version).parseAsync()
