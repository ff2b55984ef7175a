// `nodes/NAME/proxy/PATH`: what a kubelet serves beside connections. Whether it is well, its pods, what they take and what
// they wrote; of all other paths there is nothing.

import type { ApiResponse } from '#api'
import type { Node, Pod } from '#kinds'
import { type AnyObject, formatTime } from '#objects'
import type { ResourceSample } from '../options.ts'
import type { Scope } from '../scope.ts'
import { logOptions } from './log.ts'

/** Answers in the place of a node that can be dialled. */
export function answerOfKubelet(scope: Scope, node: Node): ApiResponse {
  const { path = '', verb } = scope.request
  const [within = ''] = path.split('?')
  const [root, ...rest] = within.split('/').slice(1)
  const asked = kubeletPaths.get(root ?? '')
  const answer = verb === 'get' ? asked?.(scope, node, rest) : undefined
  if (answer !== undefined) return answer
  return asked === undefined || verb === 'get'
    ? text(404, '404 page not found\n')
    : text(405, '405: Method Not Allowed')
}

type Path = (scope: Scope, node: Node, rest: readonly string[]) => ApiResponse | undefined

const text = (status: number, said: string): ApiResponse => ({
  status,
  body: { type: 'text', contentType: 'text/plain; charset=utf-8', text: said },
})

const json = (said: unknown): ApiResponse => ({
  status: 200,
  body: { type: 'text', contentType: 'application/json', text: JSON.stringify(said) },
})

const checks = ['', 'ping', 'log', 'syncloop']

const kubeletPaths: ReadonlyMap<string, Path> = new Map(
  Object.entries({
    healthz: (_scope, _node, [check = '', ...more]) =>
      checks.includes(check) && more.length === 0 ? text(200, 'ok') : undefined,
    pods: (scope, node, rest) =>
      rest.join('') === ''
        ? json({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: podsOn(scope, node).map(asItem) })
        : undefined,
    stats: (scope, node, rest) => (rest.join('/') === 'summary' ? json(summary(scope, node)) : undefined),
    containerLogs: (scope, node, rest) => containerLog(scope, node, rest),
  } satisfies Record<string, Path>),
)

function podsOn({ core }: Scope, { metadata }: Node): readonly Pod[] {
  const pods = core.store.list('pods').entries.map(({ value }) => value as unknown as Pod)
  return pods.filter(({ spec }) => spec.nodeName === metadata.name)
}

/** Elements of a list do not say what they are. */
function asItem({ kind: _kind, apiVersion: _apiVersion, ...rest }: Pod): object {
  return rest
}

function summary(scope: Scope, node: Node): object {
  const { metrics } = scope.core.options
  const used = metrics?.node(node)
  const [whole] = used?.containers ?? []
  return {
    node: {
      nodeName: node.metadata.name,
      startTime: node.metadata.creationTimestamp,
      ...(used === undefined || whole === undefined ? {} : usage(used, [whole])),
    },
    pods: podsOn(scope, node).flatMap((pod) => {
      const sample = metrics?.pod(pod)
      return sample === undefined ? [] : [podStats(pod, sample)]
    }),
  }
}

function podStats({ metadata, status }: Pod, sample: ResourceSample): object {
  const { name, namespace, uid } = metadata
  const started = (of: string): object => {
    const startTime = status?.containerStatuses?.find((one) => one.name === of)?.state?.running?.startedAt
    return startTime === undefined ? {} : { startTime }
  }
  return {
    podRef: { name, namespace, uid },
    startTime: status?.startTime,
    containers: sample.containers.map((one) => ({ name: one.name, ...started(one.name), ...usage(sample, [one]) })),
    ...usage(sample, sample.containers),
  }
}

function usage({ at }: ResourceSample, containers: ResourceSample['containers']): object {
  const sum = (of: (used: ResourceSample['containers'][number]['usage']) => number): number =>
    containers.reduce((total, one) => total + of(one.usage), 0)
  const bytes = Math.round(sum(({ memoryBytes }) => memoryBytes))
  const time = formatTime(at)
  return {
    cpu: { time, usageNanoCores: Math.round(sum(({ milliCpu }) => milliCpu * 1_000_000)) },
    memory: { time, usageBytes: bytes, workingSetBytes: bytes },
  }
}

/** `containerLogs/NAMESPACE/POD/CONTAINER`, with the options of `pods/log`. */
function containerLog(scope: Scope, node: Node, [namespace, name, container, ...more]: readonly string[]): ApiResponse {
  const pod = podsOn(scope, node).find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
  if (pod === undefined || more.length > 0) return text(404, `pod "${name ?? ''}" does not exist\n`)
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec
  const one = [...containers, ...initContainers, ...ephemeralContainers].find((each) => each.name === container)
  if (one === undefined) return text(404, `container "${container ?? ''}" not found in pod "${name ?? ''}"\n`)
  const { nodeGateway } = scope.core.options
  if (nodeGateway === undefined) return text(404, '404 page not found\n')
  const chunks = nodeGateway.logs(pod as unknown as AnyObject, logOptions(scope, one.name), scope.signal)
  return { status: 200, body: { type: 'bytes', contentType: 'text/plain', chunks } }
}
