// What explain says: from an object down to the loop that has the next step.

import type { Finding } from '../types.ts'
import { Badge } from './status.tsx'

export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <>
      {findings.map((finding) => (
        <div key={finding.object + finding.gap} className={`finding ${finding.state}`}>
          <span className="row">
            <Badge word={finding.state} /> <strong>{finding.object}</strong>
          </span>
          {finding.state !== 'converged' && (
            <span>
              Waits for: <strong>{finding.loop}</strong>
            </span>
          )}
          <span>{finding.gap}</span>
          {finding.evidence.length > 0 && (
            <ul className="small">
              {finding.evidence.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          )}
          {finding.advice !== undefined && <span className="small">{finding.advice}</span>}
        </div>
      ))}
    </>
  )
}
