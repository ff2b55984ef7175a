// Serves custom.metrics.k8s.io and external.metrics.k8s.io from MetricSeries, as long as there are any: what an adapter
// beside a real API server does. Requests are by the names of metrics, which are no resources.

import { ApiError, type ApiRequest, type ApiResponse } from '#api'
import type { MetricSeries, Pod, ResourceInfo } from '#kinds'
import { type AnyObject, matchesSelector, parseLabelSelector } from '#objects'
import type { Core } from '../core.ts'
import { groupResource, methodNotAllowed, noSuchPath } from '../errors.ts'
import type { Registry, Served } from '../served.ts'
import { resolveStrategy } from '../strategy.ts'
import { markView } from './resources.ts'
import {
  customApi,
  externalApi,
  externalValues,
  isAskedFor,
  objectValues,
  podValues,
  type Query,
  roleOf,
  type SeriesRole,
} from './series.ts'

/** Where MetricSeries are kept. */
export const seriesBucket = 'metricseries.lab.homeostat.dev'

const seriesOf = ({ store }: Pick<Core, 'store'>, ...roles: readonly SeriesRole[]): readonly MetricSeries[] =>
  store
    .list(seriesBucket)
    .entries.map(({ value }) => value as unknown as MetricSeries)
    .filter((one) => roles.includes(roleOf(one)))

/** Undefined for requests that are about other groups. */
export function answerCustomMetrics(core: Core, request: ApiRequest): ApiResponse | undefined {
  const { resource } = request
  if (resource?.group === customApi.group) return custom(core, request)
  return resource?.group === externalApi.group ? external(core, request) : undefined
}

const answered = (kind: string, apiVersion: string, items: readonly object[]): ApiResponse => ({
  status: 200,
  body: { type: 'object', object: { kind, apiVersion, metadata: {}, items } as unknown as AnyObject },
})

const selectorIn = ({ query = {} }: ApiRequest, name: string) => parseLabelSelector(query[name] ?? '')

function custom(core: Core, request: ApiRequest): ApiResponse {
  const all = seriesOf(core, 'pods', 'object')
  if (all.length === 0 || request.resource?.version !== customApi.version) throw noSuchPath(customApi.group)
  if (request.verb !== 'get') throw methodNotAllowed()
  const { resource, namespace, name, metric } = placeOf(request)
  const query: Query = { metric, namespace, selector: selectorIn(request, 'metricLabelSelector') }
  const series = all.filter((one) => isAskedFor(one, query))
  const about = series.filter((one) => one.spec.object?.name === name && resourceOf(core.registry, one) === resource)
  const items =
    resource === 'pods'
      ? ofPods(core, request, { series, namespace, name })
      : objectValues(about, namespace, core.world.clock.now())
  const isKnown = resource === 'pods' ? series.some((one) => roleOf(one) === 'pods') : items.length > 0
  if (!isKnown) {
    const of = resource === 'pods' && name === '*' ? '' : ` ${name}`
    throw new ApiError({
      code: 404,
      reason: 'NotFound',
      message: `the server could not find the metric ${metric} for ${resource}${of}`,
    })
  }
  return answered('MetricValueList', `${customApi.group}/${customApi.version}`, items)
}

interface Place {
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** Metrics of a namespace itself are asked for as `namespaces/NAME/metrics/METRIC`, too. */
function placeOf({
  resource,
  namespace = '',
  name = '',
  subresource = '',
}: ApiRequest): Place & { readonly metric: string } {
  if (resource?.resource === 'metrics') return { resource: 'namespaces', namespace, name: namespace, metric: name }
  const isNamespace = resource?.resource === 'namespaces'
  return { resource: resource?.resource ?? '', namespace: isNamespace ? name : namespace, name, metric: subresource }
}

interface Asked {
  readonly series: readonly MetricSeries[]
  readonly namespace: string
  readonly name: string
}

function ofPods(core: Core, request: ApiRequest, { series, namespace, name }: Asked): readonly object[] {
  const selector = selectorIn(request, 'labelSelector')
  const pods = core.store
    .list('pods', { prefix: `${namespace}/` })
    .entries.map(({ value }) => value as unknown as Pod)
    .filter(({ metadata }) => (name === '*' || metadata.name === name) && matchesSelector(selector, metadata.labels))
  return podValues(series, pods, core.world.clock.now())
}

/** `services` or `ingresses.networking.k8s.io`, by the kind and group of what a series describes. */
function resourceOf(registry: Registry, { spec: { object } }: MetricSeries): string | undefined {
  if (object === undefined) return undefined
  const { apiVersion = 'v1', kind } = object
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  for (const { info } of registry.all()) if (info.group === group && info.kind === kind) return groupResource(info)
  return undefined
}

function external(core: Core, request: ApiRequest): ApiResponse {
  const all = seriesOf(core, 'external')
  const { resource, namespace = '', verb } = request
  if (all.length === 0 || resource?.version !== externalApi.version) throw noSuchPath(externalApi.group)
  if (verb !== 'list') throw methodNotAllowed()
  const query: Query = { metric: resource.resource, namespace, selector: selectorIn(request, 'labelSelector') }
  const series = all.filter((one) => isAskedFor(one, query))
  const items = externalValues(series, core.world.clock.now())
  return answered('ExternalMetricValueList', `${externalApi.group}/${externalApi.version}`, items)
}

/** Discovery names the metrics that there are: `pods/requests`, `services/hits`, and external ones by themselves. */
export function discoverSeries(core: Pick<Core, 'store' | 'registry'>): void {
  const customNames = new Set<string>()
  const externalNames = new Set<string>()
  for (const one of seriesOf(core, 'pods', 'object', 'external')) {
    const { metric } = one.spec
    if (roleOf(one) === 'external') externalNames.add(metric)
    else customNames.add(`${resourceOf(core.registry, one) ?? 'pods'}/${metric}`)
  }
  serveNames(core.registry, customApi, { names: customNames, kind: 'MetricValueList' })
  serveNames(core.registry, externalApi, { names: externalNames, kind: 'ExternalMetricValueList' })
}

interface Names {
  readonly names: ReadonlySet<string>
  readonly kind: string
}

function serveNames(
  registry: Registry,
  api: { readonly group: string; readonly version: string },
  { names, kind }: Names,
): void {
  const known = registry.customOf(api.group)
  if (known.length === names.size && known.every(({ info }) => names.has(info.resource))) return
  const served = [...names].map((resource): Served => {
    const info: ResourceInfo = {
      ...api,
      resource,
      kind,
      singular: '',
      namespaced: true,
      shortNames: [],
      categories: [],
      verbs: ['get'],
      subresources: [],
    }
    const bucket = `${resource}.${api.group}`
    const one = {
      info,
      apiVersion: `${api.group}/${api.version}`,
      bucket,
      schema: undefined,
      strategy: resolveStrategy(info, undefined, undefined),
    }
    markView(one, { bucket, of: () => undefined })
    return one
  })
  registry.setCustom(api.group, served)
}
