// The findings as people read them: the object, whose turn it is, the gap, since when, and where that can be read.

import type { Finding } from './finding.ts'
import { placementLines } from './placement.ts'

const mark = { converged: '✓', progressing: '…', stuck: '✗' } as const

export const formatFindings = (findings: readonly Finding[]): string => findings.map(formatFinding).join('\n')

/** Below another one it begins under that one's text. */
function formatFinding(finding: Finding): string {
  const depth = finding.depth ?? 0
  const indent = '   '.repeat(depth)
  const lines = [
    `${mark[finding.state]} ${finding.object}: ${finding.state}`,
    ...(finding.state === 'converged' ? [] : [`  loop      ${finding.loop}`]),
    `  sees      ${finding.gap}`,
    ...(finding.since === undefined || finding.state === 'converged' ? [] : [`  since     ${finding.since}`]),
    ...finding.evidence.map((line, at) => `  ${at === 0 ? 'evidence' : '        '}  ${line}`),
    ...(finding.advice === undefined ? [] : [`  advice    ${finding.advice}`]),
    ...placementOf(finding).map((line, at) => `  ${at === 0 ? 'scheduler' : '         '} ${line}`),
  ]
  return lines
    .map((line, at) => (at === 0 && depth > 0 ? `${'   '.repeat(depth - 1)}└─ ${line}` : `${indent}${line}`))
    .join('\n')
}

const placementOf = ({ placement }: Finding): readonly string[] =>
  placement === undefined ? [] : placementLines(placement)
