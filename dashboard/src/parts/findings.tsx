// What explain says: from an object down to where the chain ends. A cause alone says it in a few lines.

import { causeOf, heldUpIn } from '../../../src/insight/explain/finding.ts'
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

/** Which loop is stuck on what: the end of the chain, and the loop that it holds up, where that is another. */
export function Cause({ findings }: { readonly findings: readonly Finding[] }) {
  const [cause, held] = [causeOf(findings), heldUpIn(findings)]
  if (cause === undefined) return null
  return (
    <span className="cause" data-cause>
      <span>
        {held === undefined ? 'Waits' : <strong>{held.loop}</strong>}
        {held !== undefined && ' waits'} for <strong>{cause.loop}</strong>
        <Since time={cause.since ?? held?.since} />
      </span>
      {held !== undefined && <Gap of={held} />}
      <Gap of={cause} />
    </span>
  )
}

const Gap = ({ of: { gap } }: { readonly of: Finding }) => (
  <span className="small clamped" title={gap}>
    {gap}
  </span>
)

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
