// Keeps targets of HorizontalPodAutoscalers within their limits, looking every 15 s.
// Reads: HorizontalPodAutoscalers; the target's scale, from the server.  Writes: scale of the target, status.

import { CustomResourceDefinition, HorizontalPodAutoscaler, type Kind } from '#kinds'
import { type AnyObject, objectKey } from '#objects'
import { done, type Kit, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { messageOf } from '../pod-control.ts'
import { builtInKinds, customKinds } from '../resources.ts'
import { decideScaler } from './decide.ts'

const component = 'horizontal-pod-autoscaler'
const periodMs = 15_000

export const podAutoscaler = defineController({
  name: 'podautoscaler',
  account: component,
  reconciles: HorizontalPodAutoscaler,
  watches: [watching(HorizontalPodAutoscaler, (scaler) => [objectKey(scaler)])],
  reads: [CustomResourceDefinition],
  reconcile,
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const scaler = kit.cache.get(HorizontalPodAutoscaler, key)
  if (scaler === undefined) return done()
  const now = kit.world.clock.now()
  const firstAt = Date.parse(scaler.metadata.creationTimestamp ?? '') + periodMs
  if (now < firstAt) return requeueAfter(firstAt - now)
  const target = await readScale(kit, scaler)
  const decision = decideScaler({
    scaler,
    now,
    target: 'error' in target ? target : { replicas: replicasOf(target.scale) },
  })
  if (decision.resize !== undefined && 'scale' in target) await writeScale(kit, target, decision.resize.replicas)
  for (const event of decision.events) {
    const type = event.reason === 'SuccessfulRescale' ? 'Normal' : 'Warning'
    recordEvent(kit, { object: scaler, component, type, ...event })
  }
  if (decision.status !== scaler.status)
    await kit.client.updateStatus(HorizontalPodAutoscaler, { ...scaler, status: decision.status })
  return requeueAfter(periodMs)
}

interface Target {
  readonly kind: Kind
  readonly scale: AnyObject
}

const replicasOf = (scale: AnyObject): number =>
  (scale['spec'] as { readonly replicas?: number } | undefined)?.replicas ?? 0

async function readScale(kit: Kit, scaler: HorizontalPodAutoscaler): Promise<Target | { readonly error: string }> {
  const { apiVersion = '', kind: name, name: target } = scaler.spec?.scaleTargetRef ?? { kind: '', name: '' }
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  const kind = [...builtInKinds, ...customKinds(kit.cache)].find((one) => one.group === group && one.kind === name)
  if (kind === undefined) return { error: `no matches for kind "${name}" in group "${group}"` }
  try {
    const request = {
      verb: 'get',
      resource: kind,
      namespace: scaler.metadata.namespace ?? '',
      name: target,
      subresource: 'scale',
    } as const
    const { body } = await kit.client.request(request, kit.signal)
    return body.type === 'object' ? { kind, scale: body.object } : { error: 'the server did not answer with a scale' }
  } catch (error) {
    return { error: messageOf(error) }
  }
}

async function writeScale(kit: Kit, { kind, scale }: Target, replicas: number): Promise<void> {
  const { namespace = '', name = '' } = scale.metadata
  const object = { ...scale, spec: { ...(scale['spec'] as object), replicas } }
  const body = { type: 'object', object } as const
  await kit.client.request({ verb: 'update', resource: kind, namespace, name, subresource: 'scale', body }, kit.signal)
}
