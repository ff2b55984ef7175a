// Sizes the targets of HorizontalPodAutoscalers by what their pods take, looking every 15 s.
// Reads: HorizontalPodAutoscalers, Pods; the target's scale and the metrics APIs, from the server.
// Writes: scale of the target, status.

import { type ApiRequest, isConflict, isNotFound } from '#api'
import { CustomResourceDefinition, HorizontalPodAutoscaler, type Kind, Pod } from '#kinds'
import {
  type AnyObject,
  matchesSelector,
  objectKey,
  parseLabelSelector,
  parseTime,
  quantityMilliValue,
  type Selector,
} from '#objects'
import { done, type Kit, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { messageOf } from '../pod-control.ts'
import { podsByLabel } from '../pods-by-label.ts'
import { builtInKinds, customKinds } from '../resources.ts'
import { decideScaler, failedRescale, type Observed } from './decide.ts'
import { Memories, noHistory } from './history.ts'
import { readMetrics } from './reading.ts'
import type { PodUsage, Samples } from './situation.ts'

const component = 'horizontal-pod-autoscaler'
const periodMs = 15_000
const writesMax = 5
const podMetrics: Kind = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'PodMetrics',
  resource: 'pods',
  namespaced: true,
}
const memories = new Memories()
const noReadings: Observed['readings'] = new Map()

export const podAutoscaler = defineController({
  name: 'podautoscaler',
  account: component,
  reconciles: HorizontalPodAutoscaler,
  // Changes do not make it look sooner: it looks once in a period, whatever happens.
  watches: [watching(HorizontalPodAutoscaler, (scaler) => [objectKey(scaler)], { batchMs: periodMs })],
  reads: [CustomResourceDefinition, Pod],
  reconcile,
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const scaler = kit.cache.get(HorizontalPodAutoscaler, key)
  const { world } = kit
  if (scaler === undefined) {
    memories.retain(world, new Set(kit.cache.list(HorizontalPodAutoscaler).map(({ metadata }) => metadata.uid ?? '')))
    return done()
  }
  const target = await readScale(kit, scaler)
  const observed = await observe(kit, scaler, target)
  const uid = scaler.metadata.uid ?? ''
  const selector = 'error' in observed.target ? '' : observed.target.selector
  let decision = decideScaler(observed)
  if (decision.resize !== undefined && 'scale' in target) {
    const failure = await writeScale(kit, target, decision.resize.replicas)
    if (failure !== undefined) decision = failedRescale(observed, decision, failure)
  }
  memories.keep(world, uid, { history: decision.history, selector })
  for (const event of decision.events) {
    const type = event.reason === 'SuccessfulRescale' ? 'Normal' : 'Warning'
    recordEvent(kit, { object: scaler, component, type, ...event })
  }
  if (decision.status !== scaler.status) await writeStatus(kit, { ...scaler, status: decision.status })
  return requeueAfter(periodMs)
}

/** What could not be written is worked out anew after the usual time, not sooner. */
async function writeStatus(kit: Kit, scaler: HorizontalPodAutoscaler): Promise<void> {
  try {
    await kit.client.updateStatus(HorizontalPodAutoscaler, scaler)
  } catch (error) {
    const message = messageOf(error)
    recordEvent(kit, { object: scaler, component, type: 'Warning', reason: 'FailedUpdateStatus', message })
  }
}

interface Scaled {
  readonly kind: Kind
  readonly scale: AnyObject
}

async function observe(
  kit: Kit,
  scaler: HorizontalPodAutoscaler,
  read: Scaled | { readonly error: string },
): Promise<Observed> {
  const { world, cache } = kit
  const now = world.clock.now()
  const history = memories.of(world, scaler.metadata.uid ?? '')?.history ?? noHistory
  const nothing = { pods: [], samples: [], readings: noReadings, rivals: [], history, now, scaler }
  if ('error' in read) return { ...nothing, target: read }
  const { spec, status } = read.scale as AnyObject & {
    readonly spec?: { readonly replicas?: number }
    readonly status?: { readonly replicas?: number; readonly selector?: string }
  }
  const target = { replicas: spec?.replicas ?? 0, running: status?.replicas ?? 0, selector: status?.selector ?? '' }
  const { minReplicas = 1, maxReplicas } = scaler.spec
  const outside = target.replicas === 0 || target.replicas > maxReplicas || target.replicas < minReplicas
  if (outside || target.selector === '') return { ...nothing, target }
  const selector = readSelector(target.selector)
  if ('error' in selector) return { ...nothing, target: { ...target, unreadable: selector.error } }
  const namespace = scaler.metadata.namespace ?? ''
  const pods = selectedPods(kit, namespace, selector)
  const rivals = cache
    .list(HorizontalPodAutoscaler, namespace)
    .filter((other) => other === scaler || selectsSome(other, pods, kit))
    .map(({ metadata }) => `{${metadata.name} ${metadata.namespace}}`)
    .sort()
  const measured = scaler.spec.metrics?.some(({ type }) => type === 'Resource' || type === 'ContainerResource')
  const samples = measured === true ? await readSamples(kit, namespace, target.selector) : []
  const readings = await readMetrics(kit, scaler, target.selector)
  return { ...nothing, target, pods, rivals, samples, readings }
}

function readSelector(text: string): Selector | { readonly error: string } {
  try {
    return parseLabelSelector(text)
  } catch (error) {
    return { error: messageOf(error) }
  }
}

function selectedPods({ cache }: Kit, namespace: string, selector: Selector): readonly Pod[] {
  const equal = selector.requirements.find(({ operator }) => operator === '=' || operator === '==')
  const candidates =
    equal === undefined
      ? cache.list(Pod, namespace)
      : cache.by(podsByLabel, `${namespace}/${equal.key}=${equal.values[0] ?? ''}`)
  return candidates
    .filter(({ metadata }) => matchesSelector(selector, metadata.labels))
    .toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
}

function selectsSome({ metadata }: HorizontalPodAutoscaler, pods: readonly Pod[], { world }: Kit): boolean {
  const { selector = '' } = memories.of(world, metadata.uid ?? '') ?? {}
  const parsed = readSelector(selector)
  if (selector === '' || 'error' in parsed) return false
  return pods.some((pod) => matchesSelector(parsed, pod.metadata.labels))
}

interface PodMetricsObject extends AnyObject {
  readonly timestamp: string
  readonly window: string
  readonly containers: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[]
}

async function readSamples(kit: Kit, namespace: string, labelSelector: string): Promise<Samples> {
  try {
    const { items } = await kit.client.list(podMetrics, { namespace, labelSelector })
    return (items as readonly PodMetricsObject[]).map(usageOf)
  } catch (error) {
    const where = isNotFound(error) ? ' (get pods.metrics.k8s.io)' : ''
    return { error: `${messageOf(error)}${where}` }
  }
}

const usageOf = ({ metadata, timestamp, window, containers }: PodMetricsObject): PodUsage => ({
  pod: metadata.name ?? '',
  at: parseTime(timestamp) ?? 0,
  windowMs: Number.parseFloat(window) * 1000,
  containers: containers.map(({ name, usage }) => ({
    name,
    usage: Object.fromEntries(Object.entries(usage).map(([what, amount]) => [what, quantityMilliValue(amount)])),
  })),
})

async function readScale(kit: Kit, scaler: HorizontalPodAutoscaler): Promise<Scaled | { readonly error: string }> {
  const { apiVersion = '', kind: name, name: target } = scaler.spec.scaleTargetRef
  const [group = '', ...versions] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  if (versions.length > 1) return { error: `unexpected GroupVersion string: ${apiVersion}` }
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

/** Answers why it failed. A target that was written in between (its status, most often) is tried again as it is then. */
async function writeScale(kit: Kit, { kind, scale }: Scaled, replicas: number): Promise<string | undefined> {
  const { namespace = '', name = '' } = scale.metadata
  const where = { resource: kind, namespace, name, subresource: 'scale' } as const
  let last = scale
  for (let tries = 1; ; tries += 1) {
    const object = { ...last, spec: { ...(last['spec'] as object), replicas } }
    try {
      await kit.client.request({ verb: 'update', ...where, body: { type: 'object', object } }, kit.signal)
      return undefined
    } catch (error) {
      if (!isConflict(error) || tries === writesMax) return messageOf(error)
      last = (await readAgain(kit, where)) ?? last
    }
  }
}

async function readAgain(kit: Kit, where: Omit<ApiRequest, 'caller' | 'verb'>): Promise<AnyObject | undefined> {
  try {
    const { body } = await kit.client.request({ verb: 'get', ...where }, kit.signal)
    return body.type === 'object' ? body.object : undefined
  } catch {
    return undefined
  }
}
