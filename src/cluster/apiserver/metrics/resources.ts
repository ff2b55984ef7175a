// The resources of metrics.k8s.io: views of nodes and pods that nobody writes. What they took comes from the node side,
// through the source that the machine hands in; without one the group is not served.

import { type APIService, type Column, type Node, nameColumn, type Pod, type ResourceInfo } from '#kinds'
import { type AnyObject, addQuantity, formatTime } from '#objects'
import type { MetricsSource, ResourceSample } from '../options.ts'
import type { Registry, Served } from '../served.ts'
import { resolveStrategy } from '../strategy.ts'

export interface MetricsView {
  /** Where the objects are that are looked at. */
  readonly bucket: string
  /** Undefined when there is no sample. */
  readonly of: (object: AnyObject) => AnyObject | undefined
}

const group = 'metrics.k8s.io'
const version = 'v1beta1'
const apiVersion = `${group}/${version}`
const views = new WeakMap<Served, MetricsView>()

/** Says that a resource is a view. */
export const markView = (served: Served, view: MetricsView): void => {
  views.set(served, view)
}

/** Set for resources that are views and have no objects of their own. */
export const viewOf = (served: Served): MetricsView | undefined => views.get(served)

const infoOf = (resource: string, kind: string, namespaced: boolean): ResourceInfo => ({
  group,
  version,
  resource,
  kind,
  singular: '',
  namespaced,
  shortNames: [],
  categories: [],
  verbs: ['get', 'list'],
  subresources: [],
})

const nodes = infoOf('nodes', 'NodeMetrics', false)
const pods = infoOf('pods', 'PodMetrics', true)

interface Usage {
  readonly cpu: string
  readonly memory: string
}

/** As metrics-server writes it: CPU in billionths, memory in Ki. */
const usageOf = ({ milliCpu, memoryBytes }: ResourceSample['containers'][number]['usage']): Usage => ({
  cpu: milliCpu === 0 ? '0' : `${Math.round(milliCpu * 1_000_000)}n`,
  memory: `${Math.floor(memoryBytes / 1024)}Ki`,
})

function metricsObject(kind: string, { metadata }: AnyObject, sample: ResourceSample, rest: object): AnyObject {
  const { name, namespace, labels } = metadata
  const timestamp = formatTime(sample.at)
  return {
    kind,
    apiVersion,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      creationTimestamp: timestamp,
      ...(labels === undefined ? {} : { labels }),
    },
    timestamp,
    window: `${sample.windowMs / 1000}s`,
    ...rest,
  } as AnyObject
}

function nodeMetrics(source: MetricsSource, object: AnyObject): AnyObject | undefined {
  const sample = source.node(object as unknown as Node)
  const [only] = sample?.containers ?? []
  if (sample === undefined || only === undefined) return undefined
  return metricsObject('NodeMetrics', object, sample, { usage: usageOf(only.usage) })
}

function podMetrics(source: MetricsSource, object: AnyObject): AnyObject | undefined {
  const sample = source.pod(object as unknown as Pod)
  if (sample === undefined) return undefined
  const containers = sample.containers.map(({ name, usage }) => ({ name, usage: usageOf(usage) }))
  return metricsObject('PodMetrics', object, sample, { containers })
}

const total = (object: AnyObject, what: keyof Usage): string => {
  const containers = object['containers'] as readonly { readonly usage: Usage }[] | undefined
  const all = containers ?? [{ usage: object['usage'] as Usage }]
  return all.reduce((sum, { usage }) => addQuantity(sum, usage[what]), '0')
}

const column = (name: string, description: string, cell: Column<AnyObject>['cell']): Column<AnyObject> => ({
  name,
  type: 'string',
  description,
  cell,
})

const columns: readonly Column<AnyObject>[] = [
  nameColumn,
  column('cpu', '', (object) => total(object, 'cpu')),
  column('memory', '', (object) => total(object, 'memory')),
  column('Window', 'The interval in which the usage was measured.', (object) => String(object['window'])),
]

/** Serves the group. */
export function addMetrics(registry: Registry, source: MetricsSource): void {
  const add = (info: ResourceInfo, view: MetricsView): void => {
    const strategy = { ...resolveStrategy(info, undefined, undefined), columns }
    const served: Served = { info, apiVersion, bucket: `${info.resource}.${group}`, schema: undefined, strategy }
    views.set(served, view)
    registry.add(served)
  }
  add(nodes, { bucket: 'nodes', of: (object) => nodeMetrics(source, object) })
  add(pods, { bucket: 'pods', of: (object) => podMetrics(source, object) })
}

/** Tells of the group among the API services: it is answered by this very server. */
export const metricsService: APIService = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${version}.${group}`, labels: { 'k8s-app': 'metrics-server' } },
  spec: { group, version, groupPriorityMinimum: 100, versionPriority: 100 },
}
