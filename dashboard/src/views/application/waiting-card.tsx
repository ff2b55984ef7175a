// What the application waits for, down to the loop and the gap where the chain ends; nothing while it waits for nothing.

import { causeOf } from '../../../../src/insight/explain/finding.ts'
import { useLoaded } from '../../api.ts'
import type { Finding } from '../../own-types.ts'
import { Cause, Findings } from '../../parts/findings.tsx'
import { Badge } from '../../parts/status.tsx'
import type { TabProps } from './tab.ts'

const everyMs = 3000

export function WaitingCard({ application, version }: TabProps) {
  const { status, metadata } = application
  const isSettled =
    status?.sync?.status === 'Synced' &&
    status.health?.status === 'Healthy' &&
    status.operationState?.phase !== 'Running' &&
    (status.conditions ?? []).length === 0 &&
    metadata.deletionTimestamp === undefined
  const query = new URLSearchParams({
    group: 'argoproj.io',
    kind: 'Application',
    namespace: metadata.namespace ?? 'argocd',
    name: metadata.name,
  })
  const path = isSettled ? undefined : `/homeostat/explain?${query}`
  const { value } = useLoaded<{ items: readonly Finding[] }>(path, version, everyMs)
  const findings = value?.items ?? []
  const cause = causeOf(findings)
  if (cause === undefined || findings.every(({ state }) => state === 'converged')) return null
  return (
    <details className={`card wait state-${cause.state}`} data-card="waiting">
      <summary>
        <span className="row">
          <Badge word={cause.state} /> <strong>{cause.object}</strong>
        </span>
        <Cause findings={findings} />
        {cause.advice !== undefined && (
          <span className="small advice">
            <strong>What to do:</strong> {cause.advice}
          </span>
        )}
      </summary>
      <Findings findings={findings} />
    </details>
  )
}
