// What an Application waits for: its source, its comparison, its operation, or the health of what it made.

import type { AnyObject } from '#objects'
import { describeObject, type Finding } from './finding.ts'
import { explainDeletion } from './generic.ts'

interface AppShape {
  readonly spec?: { readonly syncPolicy?: { readonly automated?: { readonly enabled?: boolean } } }
  readonly status?: {
    readonly sync?: { readonly status?: string; readonly revision?: string }
    readonly health?: { readonly status?: string; readonly message?: string }
    readonly conditions?: readonly { readonly type: string; readonly message: string }[]
    readonly operationState?: { readonly phase: string; readonly message?: string }
    readonly resources?: readonly {
      readonly kind: string
      readonly namespace?: string
      readonly name: string
      readonly status?: string
      readonly health?: { readonly status?: string; readonly message?: string }
    }[]
  }
}

const nameOf = (item: { readonly kind: string; readonly namespace?: string; readonly name: string }): string =>
  `${item.kind} ${item.namespace === undefined || item.namespace === '' ? '' : `${item.namespace}/`}${item.name}`

export function explainApplication(object: AnyObject): readonly Finding[] {
  const { spec, status = {} } = object as unknown as AppShape
  const errors = (status.conditions ?? []).map(({ type, message }) => `condition ${type}: ${message}`)
  const deletion = explainDeletion(object)
  if (deletion !== undefined) return [{ ...deletion, evidence: [...deletion.evidence, ...errors] }]
  const name = describeObject(object)
  const loop = 'application controller'
  const operation = status.operationState
  const automated = spec?.syncPolicy?.automated !== undefined && spec.syncPolicy.automated.enabled !== false
  if (operation?.phase === 'Running')
    return [
      {
        state: 'progressing',
        loop,
        object: name,
        gap: `a sync is running: ${operation.message ?? ''}`,
        evidence: errors,
      },
    ]
  if (status.sync?.status !== 'Synced') {
    const differing = (status.resources ?? [])
      .filter((item) => item.status !== 'Synced')
      .map((item) => `${nameOf(item)} is ${item.status}`)
    const failed =
      operation !== undefined && ['Failed', 'Error'].includes(operation.phase)
        ? [`last operation ${operation.phase}: ${operation.message ?? ''}`]
        : []
    const manual = !automated && status.sync?.status === 'OutOfSync'
    return [
      {
        state: errors.length > 0 || failed.length > 0 || manual ? 'stuck' : 'progressing',
        loop: manual ? 'you: automated sync is off' : loop,
        object: name,
        gap: status.sync?.status === 'OutOfSync' ? 'the cluster differs from git' : 'it could not be compared with git',
        evidence: [...errors, ...failed, ...differing],
        ...(manual ? { advice: `homeostat app sync ${object.metadata.name ?? ''}` } : {}),
      },
    ]
  }
  if (status.health?.status === 'Healthy')
    return [{ state: 'converged', loop: 'none', object: name, gap: 'Synced and Healthy', evidence: errors }]
  const ill = (status.resources ?? []).filter(
    ({ health }) => health?.status !== undefined && health.status !== 'Healthy',
  )
  return [
    {
      state: status.health?.status === 'Progressing' ? 'progressing' : 'stuck',
      loop: 'the loops of the resources below',
      object: name,
      gap: `Synced, but ${status.health?.status ?? 'Unknown'}${status.health?.message ? `: ${status.health.message}` : ''}`,
      evidence: ill.map(
        (item) => `${nameOf(item)} is ${item.health?.status}${item.health?.message ? `: ${item.health.message}` : ''}`,
      ),
      advice: 'Explain one of these resources for the loop behind it.',
    },
  ]
}
