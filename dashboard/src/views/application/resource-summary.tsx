// What explain says of a resource, and the facts that its loops go by: generation against observedGeneration, owners,
// finalizers, conditions.

import { useLoaded } from '../../api.ts'
import type { Finding } from '../../own-types.ts'
import { Findings } from '../../parts/findings.tsx'
import { Age } from '../../parts/time.tsx'
import type { ResourceRef } from '../../types.ts'
import { Scheduling } from './scheduling.tsx'

interface Described {
  readonly metadata?: {
    readonly creationTimestamp?: string
    readonly deletionTimestamp?: string
    readonly generation?: number
    readonly labels?: Readonly<Record<string, string>>
    readonly finalizers?: readonly string[]
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[]
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly message?: string
      readonly lastTransitionTime?: string
    }[]
  }
}

function Facts({ object }: { readonly object: Described }) {
  const { metadata, status } = object
  const generation = metadata?.generation
  const observed = status?.observedGeneration
  return (
    <dl className="facts">
      <dt>Created</dt>
      <dd>
        <Age time={metadata?.creationTimestamp} /> ago
      </dd>
      {generation !== undefined && (
        <>
          <dt>Generation</dt>
          <dd>
            {generation}
            {observed === undefined
              ? ''
              : `, observed ${observed}${observed < generation ? ' (its loop has not read the newest spec yet)' : ''}`}
          </dd>
        </>
      )}
      {(metadata?.ownerReferences ?? []).map((owner) => [
        <dt key="dt">Owner</dt>,
        <dd key="dd">
          {owner.kind}/{owner.name}
        </dd>,
      ])}
      {(metadata?.finalizers ?? []).length > 0 && (
        <>
          <dt>Finalizers</dt>
          <dd>{metadata?.finalizers?.join(', ')}</dd>
        </>
      )}
      <dt>Labels</dt>
      <dd className="mono">
        {Object.entries(metadata?.labels ?? {})
          .map(([key, value]) => `${key}=${value}`)
          .join(' ') || '–'}
      </dd>
    </dl>
  )
}

export function ResourceSummary({
  application,
  reference,
  object,
  version,
}: {
  /** Whose resource it is. */
  readonly application: string
  readonly reference: ResourceRef
  readonly object: unknown
  readonly version: number
}) {
  const query = new URLSearchParams({
    application,
    group: reference.group ?? '',
    kind: reference.kind,
    namespace: reference.namespace ?? '',
    name: reference.name,
  })
  const findings = useLoaded<{ items: readonly Finding[] }>(`/homeostat/explain?${query}`, version, 2000)
  const described = object as Described | undefined
  const conditions = described?.status?.conditions ?? []
  return (
    <>
      {findings.value !== undefined && <Findings findings={findings.value.items} />}
      {findings.value?.items.map(
        ({ object: of, placement }) => placement !== undefined && <Scheduling key={of} placement={placement} />,
      )}
      {described !== undefined && <Facts object={described} />}
      {conditions.length > 0 && (
        <div className="scroll" style={{ marginTop: 14 }}>
          <table>
            <thead>
              <tr>
                <th>Condition</th>
                <th>Status</th>
                <th>Reason</th>
                <th>Message</th>
                <th>Since</th>
              </tr>
            </thead>
            <tbody>
              {conditions.map((condition) => (
                <tr key={condition.type}>
                  <td>{condition.type}</td>
                  <td>{condition.status}</td>
                  <td>{condition.reason}</td>
                  <td>{condition.message}</td>
                  <td>
                    <Age time={condition.lastTransitionTime} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
