// pods/binding and bindings: puts a pod on a node. The scheduler's only write to a pod's spec
// (registry/core/pod/storage BindingREST).

import type { ApiError, ApiResponse } from '#api'
import { type Binding, notSupported, Pod, type PodCondition, required } from '#kinds'
import type { AnyObject } from '#objects'
import { admitBody } from '../admit.ts'
import { readBody } from '../body.ts'
import { expectedKind } from '../body-expected.ts'
import { badRequest, conflict, plainError, staleVersion } from '../errors.ts'
import { checkUid } from '../preconditions.ts'
import { existing } from '../read.ts'
import { respondPlain } from '../represent.ts'
import { rewriteEntry } from '../rewrite.ts'
import { Scope } from '../scope.ts'
import { type Soon, whenDone } from '../soon.ts'
import { checkWriteOptions } from '../write-options.ts'

const binding = expectedKind('', 'v1', 'Binding')

/** What creating a subresource that is no object answers. */
export const createdStatus = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as const

export function bind(scope: Scope): Soon<ApiResponse> {
  checkWriteOptions(scope, 'CreateOptions')
  const sent = readBody(scope, binding) as unknown as Binding
  if (sent.metadata.name !== scope.name) throw badRequest('name in URL does not match name in Binding object')
  checkTarget(sent)
  return whenDone(admitBody(scope, 'CREATE', sent as unknown as AnyObject), (admitted) => {
    assign(scope, admitted as unknown as Binding)
    return respondPlain(scope, 201, createdStatus)
  })
}

/** `POST …/bindings`, the older way: the pod is named by the binding. */
export function bindNamed(scope: Scope): Soon<ApiResponse> {
  const { metadata } = readBody(scope, binding)
  const pods = scope.core.registry.find(Pod)
  if (pods === undefined) throw badRequest('there are no pods to bind')
  const request = { ...scope.request, resource: Pod, name: metadata.name ?? '', subresource: 'binding' }
  return bind(new Scope(scope.core, pods, request, scope.signal))
}

function checkTarget({ target }: Binding): void {
  const { kind = '', name = '' } = target ?? {}
  const faults = [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [required('target.name')] : []),
  ]
  const [first] = faults
  if (first === undefined) return
  const texts = faults.map((fault) => `${fault.field}: ${fault.message}`)
  throw plainError(texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`)
}

function assign(scope: Scope, { metadata, target }: Binding): void {
  const entry = existing(scope)
  const pod = entry.value as unknown as Pod & AnyObject
  const refuse = (why: string): ApiError => conflict({ group: '', resource: 'pods/binding' }, scope.name, why)
  const { resourceVersion } = metadata
  checkUid(scope, metadata.uid, pod)
  if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== pod.metadata.resourceVersion)
    throw conflict({ group: '', resource: 'pods' }, scope.name, staleVersion)
  if (pod.metadata.deletionTimestamp !== undefined)
    throw refuse(`pod ${scope.name} is being deleted, cannot be assigned to a host`)
  const { nodeName = '', schedulingGates = [] } = pod.spec ?? {}
  if (nodeName !== '') throw refuse(`pod ${scope.name} is already assigned to node ${JSON.stringify(nodeName)}`)
  if (schedulingGates.length > 0) throw refuse(`pod ${scope.name} has non-empty .spec.schedulingGates`)
  const { annotations } = metadata
  const meta =
    annotations === undefined
      ? pod.metadata
      : { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } }
  // New fields stand in front of the copied ones: behind them, V8 would give each object a hidden class of its own.
  const spec = { nodeName: '', ...pod.spec }
  spec.nodeName = target.name ?? ''
  const conditions = scheduled(pod, scope.now())
  const status = { conditions, ...pod.status }
  status.conditions = conditions
  rewriteEntry(scope, entry, { ...pod, metadata: meta, spec, status } as AnyObject)
}

function scheduled({ status }: Pod, now: string): readonly PodCondition[] {
  const conditions = status?.conditions ?? []
  const old = conditions.find(({ type }) => type === 'PodScheduled')
  const next: PodCondition = {
    type: 'PodScheduled',
    status: 'True',
    // Stored with this value always, as Kubernetes' own type has it.
    lastProbeTime: null as unknown as string,
    lastTransitionTime: old?.status === 'True' && old.lastTransitionTime !== undefined ? old.lastTransitionTime : now,
  }
  return old === undefined ? conditions.concat(next) : conditions.map((one) => (one === old ? next : one))
}
