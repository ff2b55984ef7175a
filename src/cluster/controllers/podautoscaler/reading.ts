// Asks the custom and external metrics APIs for what an autoscaler's metrics name. Where no such API is served, or it has no
// values, that is the answer, in the words of Kubernetes' clients.

import { type ApiRequest, isNotFound } from '#api'
import { formatSelector, type HorizontalPodAutoscaler, type MetricSpec } from '#kinds'
import { type AnyObject, type LabelSelector, parseTime, type QuantityText, quantityMilliValue } from '#objects'
import type { Kit } from '#reconcile'
import { messageOf } from '../pod-control.ts'
import { builtInKinds, customKinds, resourceName } from '../resources.ts'
import type { MetricSample, Reading } from './situation.ts'

const customGroup = { group: 'custom.metrics.k8s.io', version: 'v1beta2' }
const externalGroup = { group: 'external.metrics.k8s.io', version: 'v1beta1' }
const defaultWindowMs = 60_000
/** What a server says of a group that it does not serve. */
const unserved = 'the server could not find the requested resource'

/** Values of all metrics that are no resources. `labelSelector` selects the pods. */
export async function readMetrics(
  kit: Kit,
  scaler: HorizontalPodAutoscaler,
  labelSelector: string,
): Promise<ReadonlyMap<MetricSpec, Reading>> {
  const readings = new Map<MetricSpec, Reading>()
  for (const metric of scaler.spec.metrics ?? []) {
    const reading = await read(kit, metric, { namespace: scaler.metadata.namespace ?? '', labelSelector })
    if (reading !== undefined) readings.set(metric, reading)
  }
  return readings
}

interface Place {
  readonly namespace: string
  readonly labelSelector: string
}

async function read(kit: Kit, metric: MetricSpec, { namespace, labelSelector }: Place): Promise<Reading | undefined> {
  const { pods, object, external } = metric
  if (pods !== undefined) {
    const { name, selector } = pods.metric
    const query = { labelSelector, ...metricSelector(selector) }
    const resource = { ...customGroup, resource: 'pods' }
    return ask(kit, { verb: 'get', resource, namespace, name: '*', subresource: name, query })
  }
  if (object !== undefined) return readObject(kit, object, namespace)
  if (external === undefined) return undefined
  const { name, selector } = external.metric
  const query = selector === undefined ? {} : { labelSelector: textOf(selector) }
  return ask(kit, { verb: 'list', resource: { ...externalGroup, resource: name }, namespace, query })
}

function readObject(kit: Kit, source: NonNullable<MetricSpec['object']>, namespace: string): Promise<Reading> {
  const { apiVersion = '', kind, name } = source.describedObject
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  const { name: subresource, selector } = source.metric
  const query = metricSelector(selector)
  if (kind === 'Namespace' && group === '') {
    const resource = { ...customGroup, resource: 'namespaces' }
    return ask(kit, { verb: 'get', resource, name: namespace, subresource, query })
  }
  const found = [...builtInKinds, ...customKinds(kit.cache)].find((one) => one.group === group && one.kind === kind)
  if (found === undefined)
    return Promise.resolve({ error: `${fetchError('custom')}: no matches for kind "${kind}" in group "${group}"` })
  const resource = { ...customGroup, resource: resourceName(found) }
  return ask(kit, { verb: 'get', resource, namespace, name, subresource, query })
}

/** Empty for a selector that selects all. */
const textOf = (selector: LabelSelector): string => formatSelector(selector).replace('<none>', '')

const metricSelector = (selector: LabelSelector | undefined): Readonly<Record<string, string>> =>
  selector === undefined ? {} : { metricLabelSelector: textOf(selector) }

const fetchError = (which: 'custom' | 'external'): string => `unable to fetch metrics from ${which} metrics API`

async function ask(kit: Kit, request: Omit<ApiRequest, 'caller'>): Promise<Reading> {
  const group = request.resource?.group ?? ''
  const which = group === customGroup.group ? 'custom' : 'external'
  try {
    const { body } = await kit.client.request(request, kit.signal)
    const items = body.type === 'object' ? ((body.object as AnyObject)['items'] as readonly MetricValue[]) : []
    return items.length === 0
      ? { error: `no metrics returned from ${which} metrics API` }
      : { values: items.map(sample) }
  } catch (error) {
    const message = messageOf(error)
    if (!isNotFound(error) || !message.startsWith(unserved)) return { error: `${fetchError(which)}: ${message}` }
    const what =
      which === 'custom'
        ? `no custom metrics API (${group}) registered`
        : `${unserved} (get ${request.resource?.resource}.${group})`
    return { error: `${fetchError(which)}: ${what}` }
  }
}

/** Of both APIs: what one says of a described object, the other does not. */
interface MetricValue {
  readonly describedObject?: { readonly name?: string }
  readonly timestamp: string
  readonly windowSeconds?: number
  readonly window?: number
  readonly value: QuantityText
}

const sample = ({ describedObject, timestamp, windowSeconds, window, value }: MetricValue): MetricSample => ({
  object: describedObject?.name ?? '',
  at: parseTime(timestamp) ?? 0,
  windowMs:
    windowSeconds === undefined && window === undefined ? defaultWindowMs : (windowSeconds ?? window ?? 0) * 1000,
  value: quantityMilliValue(value),
})
