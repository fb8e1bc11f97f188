// The reviewer's groups as steps: what is in one step can be fixed at the same time, so no two of its findings are in one file.
import type { ReviewFinding } from './finding.ts'

export function listSteps<Each extends Pick<ReviewFinding, 'file' | 'group'>>(findings: readonly Each[]): Each[][] {
  const groups = [...new Set(findings.map(({ group }) => group))].sort((a, b) => a - b)
  return groups.flatMap((group) => splitByFile(findings.filter((each) => each.group === group)))
}

function splitByFile<Each extends Pick<ReviewFinding, 'file'>>(findings: readonly Each[]): Each[][] {
  const steps: Each[][] = []
  for (const finding of findings) {
    const free = steps.find((step) => step.every(({ file }) => file !== finding.file))
    if (free) free.push(finding)
    else steps.push([finding])
  }
  return steps
}
