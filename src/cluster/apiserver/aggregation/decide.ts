// What an APIService says of the server behind its Service (kube-aggregator's available controller). Pure.

import type { APIService, EndpointSlice, Service } from '#kinds'

type Status = NonNullable<APIService['status']>
type Condition = NonNullable<Status['conditions']>[number]

export type Verdict = Pick<Condition, 'status' | 'reason' | 'message'>

export interface Reference {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

export interface Seen {
  readonly service: Service | undefined
  /** Those of the Service. */
  readonly slices: readonly EndpointSlice[]
}

const no = (reason: string, message: string): Verdict => ({ status: 'False', reason, message })

export const passed: Verdict = { status: 'True', reason: 'Passed', message: 'all checks passed' }
export const failed = (message: string): Verdict => no('FailedDiscoveryCheck', message)

/** The name of the port to ask, or why there is no use in asking. */
export function decideReachable({ namespace, name, port }: Reference, { service, slices }: Seen): Verdict | string {
  const what = `service/${name} in ${JSON.stringify(namespace)}`
  if (service === undefined) return no('ServiceNotFound', `${what} is not present`)
  const listening = service.spec?.ports?.find((one) => one.port === port)
  const portName = listening?.name ?? ''
  if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return portName
  if (listening === undefined) return no('ServicePortError', `${what} is not listening on port ${port}`)
  if (slices.length === 0) return no('EndpointsNotFound', `cannot find endpointslices for ${what}`)
  const isReady = slices.some(
    ({ endpoints, ports }) =>
      (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false) &&
      (ports ?? []).some((one) => (one.name ?? '') === portName && one.port !== undefined),
  )
  return isReady
    ? portName
    : no('MissingEndpoints', `endpointslices for ${what} have no addresses with port name ${JSON.stringify(portName)}`)
}

/** The status with that verdict; when it was reached is said anew only where it is another one. */
export function withVerdict(status: Status | undefined, verdict: Verdict, now: string): Status {
  const conditions = status?.conditions ?? []
  const before = conditions.find(({ type }) => type === 'Available')
  const lastTransitionTime = before?.status === verdict.status ? (before.lastTransitionTime ?? now) : now
  const next: Condition = { type: 'Available', lastTransitionTime, ...verdict }
  return {
    ...status,
    conditions: before === undefined ? [...conditions, next] : conditions.map((one) => (one === before ? next : one)),
  }
}
