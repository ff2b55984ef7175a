// Faults of probes and lifecycle handlers.

import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe } from '../generated/types.ts'
import { httpHeaderName, nonNegativeText } from '../metadata/formats.ts'
import { checkPort } from '../network/ports.ts'

export interface HandlerTarget {
  readonly path: string
  /** terminationGracePeriodSeconds of the pod. */
  readonly gracePeriod: number | undefined
  readonly errors: FieldError[]
}

type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<LifecycleHandler, 'sleep'>

export function checkProbe(
  probe: Probe | undefined,
  kind: 'livenessProbe' | 'readinessProbe' | 'startupProbe',
  target: HandlerTarget,
): void {
  if (probe === undefined) return
  const path = `${target.path}.${kind}`
  const { errors } = target
  checkHandler(probe, { ...target, path })
  for (const field of numbers) {
    const value = probe[field] ?? 0
    if (value < 0) errors.push(invalid(`${path}.${field}`, value, nonNegativeText))
  }
  const grace = probe.terminationGracePeriodSeconds
  if (grace !== undefined && grace <= 0)
    errors.push(invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'))
  if (kind === 'readinessProbe') {
    if (grace !== undefined)
      errors.push(invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'))
  } else if (probe.successThreshold !== 1)
    errors.push(invalid(`${path}.successThreshold`, probe.successThreshold ?? 0, 'must be 1'))
}

const numbers = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const

export function checkLifecycle(lifecycle: Lifecycle | undefined, target: HandlerTarget): void {
  for (const field of ['postStart', 'preStop'] as const) {
    const handler = lifecycle?.[field]
    if (handler === undefined) continue
    const { exec, httpGet, tcpSocket, sleep } = handler
    checkHandler({ exec, httpGet, tcpSocket, sleep } as Handler, {
      ...target,
      path: `${target.path}.lifecycle.${field}`,
    })
  }
}

const handlerKinds = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const

function checkHandler(handler: Handler, target: HandlerTarget): void {
  const { path, errors } = target
  const given = handlerKinds.filter((kind) => handler[kind] !== undefined)
  const [first, ...others] = given
  if (first === undefined) {
    errors.push(required(path, 'must specify a handler type'))
    return
  }
  checkAction(handler, first, target)
  for (const kind of others) errors.push(forbidden(`${path}.${kind}`, 'may not specify more than 1 handler type'))
}

function checkAction(handler: Handler, kind: (typeof handlerKinds)[number], target: HandlerTarget): void {
  const { errors } = target
  const path = `${target.path}.${kind}`
  switch (kind) {
    case 'exec':
      if ((handler.exec?.command ?? []).length === 0) errors.push(required(`${path}.command`))
      return
    case 'httpGet':
      if (handler.httpGet !== undefined) checkHttpGet(handler.httpGet, path, errors)
      return
    case 'tcpSocket':
      checkPort(handler.tcpSocket?.port, `${path}.port`, errors)
      return
    case 'grpc':
      checkPort(handler.grpc?.port, `${path}.port`, errors)
      return
    case 'sleep':
      checkSleep(handler.sleep?.seconds ?? 0, target.gracePeriod, { path, errors })
  }
}

const schemes: readonly string[] = ['HTTP', 'HTTPS']

function checkHttpGet(action: HTTPGetAction, path: string, errors: FieldError[]): void {
  if (!action.path) errors.push(required(`${path}.path`))
  checkPort(action.port, `${path}.port`, errors)
  const scheme = action.scheme ?? ''
  if (!schemes.includes(scheme)) errors.push(notSupported(`${path}.scheme`, scheme, schemes))
  for (const header of action.httpHeaders ?? [])
    for (const text of httpHeaderName(header.name ?? ''))
      errors.push(invalid(`${path}.httpHeaders`, header.name ?? '', text))
}

function checkSleep(
  seconds: number,
  gracePeriod: number | undefined,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  if (gracePeriod !== undefined && (seconds < 0 || seconds > gracePeriod))
    errors.push(
      invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`),
    )
}
