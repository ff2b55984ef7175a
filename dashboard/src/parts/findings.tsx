// What explain says: from an object down to where the chain ends. A cause alone says it in two lines.

import type { Finding } from '../own-types.ts'
import { Badge } from './status.tsx'
import { Age } from './time.tsx'

const depthOf = ({ depth = 0 }: Finding): number => depth

function Since({ time }: { readonly time: string | undefined }) {
  if (time === undefined) return null
  return (
    <span className="dim small">
      {' '}
      for <Age time={time} />
    </span>
  )
}

export function Cause({ finding }: { readonly finding: Finding }) {
  const { loop, gap, since } = finding
  return (
    <span className="cause" data-cause>
      <span>
        Waits for <strong>{loop}</strong>
        <Since time={since} />
      </span>
      <span className="small clamped" title={gap}>
        {gap}
      </span>
    </span>
  )
}

const deepest = 5

export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <>
      {findings.map((finding) => (
        <div
          key={finding.object + finding.gap}
          className={`finding ${finding.state}`}
          style={{ marginLeft: `${Math.min(deepest, depthOf(finding)) * 14}px` }}
        >
          <span className="row">
            <Badge word={finding.state} /> <strong>{finding.object}</strong>
          </span>
          {finding.state !== 'converged' && (
            <span>
              Waits for: <strong>{finding.loop}</strong>
              <Since time={finding.since} />
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
          {finding.advice !== undefined && (
            <span className="small advice">
              <strong>What to do:</strong> {finding.advice}
            </span>
          )}
        </div>
      ))}
    </>
  )
}
