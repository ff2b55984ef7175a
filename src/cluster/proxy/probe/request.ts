// What one request meets: pure. The route says where it goes; the node and the pod there say what it finds.

import type { Pod } from '#kinds'
import type { Network } from '../network.ts'
import type { Route, Source } from '../route.ts'
import type { Backend } from '../service-table.ts'

export interface Failure {
  readonly reason: string
  readonly message: string
  readonly endpoint?: string
  readonly pod?: string
}

/** `failure` is absent where all is well; `until`: it may be another then, without anything happening. */
export interface Met {
  readonly failure?: Failure
  readonly until?: number
}

export interface Request {
  readonly route: Route
  readonly from: Source
  readonly host: string
  readonly protocol: 'HTTP' | 'TCP' | 'UDP'
  readonly timeoutMs: number
  readonly network: Network
  readonly isOffline: (node: string) => boolean
  /** The pod of an endpoint, while it exists. */
  readonly podOf: (key: string) => Pod | undefined
}

const seconds = (ms: number): string => `${ms / 1000}s`

/** Where the request goes at last: one of the endpoints, if it comes to that. */
export function meet(request: Request, backend: Backend | undefined): Met {
  const { route, from, host, isOffline } = request
  const { outcome, decidedOn } = route
  if (outcome.type === 'outside') return {}
  if (outcome.type === 'unresolved')
    return {
      failure: {
        reason: outcome.reason,
        message: outcome.reason === 'NameNotFound' ? `lookup ${host}: no such host: ${outcome.why}` : outcome.why,
      },
    }
  const isFar = decidedOn !== undefined && (from.kind === 'outside' || decidedOn.node !== from.node)
  if (isFar && isOffline(decidedOn.node))
    return { failure: silence(request, 'NodeOffline', `node ${decidedOn.node} is offline`) }
  if (outcome.type === 'reject') return { failure: refusal(request, outcome.reason, outcome.why) }
  if (outcome.type === 'drop' || backend === undefined) {
    const reason = outcome.type === 'drop' ? outcome.reason : 'NoEndpoints'
    return { failure: silence(request, reason, outcome.why) }
  }
  const met = knock(request, backend)
  if (met.failure === undefined) return met
  const where = {
    endpoint: `${backend.address}:${backend.port}`,
    ...(backend.pod === undefined ? {} : { pod: backend.pod }),
  }
  return { ...met, failure: { ...met.failure, ...where } }
}

function knock(request: Request, { nodeName, pod: key, uid, port }: Backend): Met {
  const { from, network, isOffline, podOf, protocol, timeoutMs } = request
  if (nodeName !== undefined && nodeName !== from.node && isOffline(nodeName))
    return { failure: silence(request, 'NodeOffline', `node ${nodeName} is offline`) }
  // Endpoints that are no pods stand outside of the cluster, where all is well.
  if (key === undefined) return {}
  const pod = podOf(key)
  if (pod === undefined || (uid !== undefined && pod.metadata.uid !== uid))
    return { failure: silence(request, 'Timeout', `pod ${key} is gone`) }
  const answer = network.answerOf(pod, port, protocol === 'UDP' ? 'UDP' : 'TCP')
  const until = answer.until === undefined ? {} : { until: answer.until }
  const why = `pod ${key}: ${answer.why}`
  if (answer.result === 'refused') return { ...until, failure: refusal(request, 'ConnectionRefused', why) }
  if (answer.result === 'silent' || answer.takesMs > timeoutMs)
    return { ...until, failure: silence(request, 'Timeout', why) }
  const isError = answer.result === 'error' && protocol === 'HTTP'
  return isError
    ? {
        ...until,
        failure: { reason: `HTTP${answer.httpStatus ?? 500}`, message: `HTTP ${answer.httpStatus ?? 500}: ${why}` },
      }
    : until
}

const dialled = ({ route, host }: Request): string =>
  `${route.address ?? host}${route.port === undefined ? '' : `:${route.port}`}`

const refusal = (request: Request, reason: string, why: string): Failure => ({
  reason,
  message: `dial ${request.protocol === 'UDP' ? 'udp' : 'tcp'} ${dialled(request)}: connect: connection refused: ${why}`,
})

const silence = (request: Request, reason: string, why: string): Failure => ({
  reason,
  message: `no answer from ${dialled(request)} within ${seconds(request.timeoutMs)}: ${why}`,
})
