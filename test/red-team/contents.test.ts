import { CONTENTS } from './cases/contents.ts'
import { runCases } from './harness.ts'

runCases('file content', CONTENTS)
