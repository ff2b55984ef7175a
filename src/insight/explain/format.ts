// The findings as people read them: the object, whose turn it is, the gap, and where that can be read.

import type { Finding } from './finding.ts'
import { placementLines } from './placement.ts'

const mark = { converged: '✓', progressing: '…', stuck: '✗' } as const

export function formatFindings(findings: readonly Finding[]): string {
  return findings
    .map((finding, depth) =>
      [
        `${depth === 0 ? '' : '└─ '}${mark[finding.state]} ${finding.object}: ${finding.state}`,
        ...(finding.state === 'converged' ? [] : [`  loop      ${finding.loop}`]),
        `  sees      ${finding.gap}`,
        ...finding.evidence.map((line, i) => `  ${i === 0 ? 'evidence' : '        '}  ${line}`),
        ...(finding.advice === undefined ? [] : [`  advice    ${finding.advice}`]),
        ...placementOf(finding).map((line, i) => `  ${i === 0 ? 'scheduler' : '         '} ${line}`),
      ]
        .map((line, i) => (depth === 0 || i === 0 ? line : `   ${line}`))
        .join('\n'),
    )
    .join('\n')
}

const placementOf = ({ placement }: Finding): readonly string[] =>
  placement === undefined ? [] : placementLines(placement)
