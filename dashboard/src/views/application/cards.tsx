// The state of an application at a glance: health, sync, last operation, policy.

import { shownDestination } from '../../parts/destination.ts'
import { shownPlace, shownRevision, shownTargets, sourcesOf } from '../../parts/sources.ts'
import { Badge } from '../../parts/status.tsx'
import { Age } from '../../parts/time.tsx'
import type { Application, OperationState } from '../../types.ts'
import type { TabProps } from './tab.ts'
import { WindowsCard } from './windows-card.tsx'

const byWhom = (operation: OperationState | undefined): string => {
  const initiator = operation?.operation?.initiatedBy
  return initiator?.automated === true ? 'automated' : initiator?.username ? `by ${initiator.username}` : ''
}

function Operation({ operation }: { readonly operation: OperationState | undefined }) {
  if (operation === undefined) return <span className="dim">never</span>
  return (
    <>
      <span className="row">
        <Badge word={operation.phase} />{' '}
        <span className="dim small">
          <Age time={operation.finishedAt ?? operation.startedAt} /> ago
        </span>
      </span>
      <span className="small">{operation.message}</span>
      <span className="dim small">
        to {shownRevision(operation.syncResult)} {byWhom(operation)}
      </span>
    </>
  )
}

function policyText(application: Application): string {
  const automated = application.spec.syncPolicy?.automated
  if (automated === undefined || automated.enabled === false) return 'Manual'
  return [
    'Automated',
    ...(automated.prune === true ? ['prune'] : []),
    ...(automated.selfHeal === true ? ['self-heal'] : []),
  ].join(', ')
}

export function StateCards({ application, version }: TabProps) {
  const { status } = application
  return (
    <div className="cards">
      <section className="card" data-card="health">
        <h3>App health</h3>
        <span>
          <Badge word={status?.health?.status} />
        </span>
        {status?.health?.message !== undefined && <span className="small">{status.health.message}</span>}
      </section>
      <section className="card" data-card="sync">
        <h3>Sync status</h3>
        <span className="row">
          <Badge word={status?.sync?.status} /> <span className="mono">{shownRevision(status?.sync)}</span>
        </span>
        <span className="dim small">
          compared <Age time={status?.reconciledAt} /> ago with {shownTargets(application)}
        </span>
      </section>
      <section className="card" data-card="operation">
        <h3>Last sync</h3>
        <Operation operation={status?.operationState} />
      </section>
      <WindowsCard application={application} version={version} />
      <section className="card">
        <h3>Source</h3>
        {sourcesOf(application).map((source) => (
          <span
            key={`${source.repoURL} ${shownPlace(source)}`}
            className="small mono"
            style={{ overflowWrap: 'anywhere' }}
          >
            {source.repoURL} <span className="dim">{shownPlace(source)}</span>
          </span>
        ))}
        <span className="dim small">→ {shownDestination(application)}</span>
        <span className="small" data-policy>
          {policyText(application)}
        </span>
      </section>
    </div>
  )
}
