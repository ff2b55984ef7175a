// Defaults of containers, probes and handlers, as in pkg/apis/core/v1/defaults.go. Everything returns the same reference
// when nothing is missing.

import type {
  Container,
  EnvVar,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  ObjectFieldSelector,
  Probe,
  ResourceRequirements,
} from '../generated/types.ts'
import { roundResources } from '../quantity/round.ts'
import { mapShared, withDefaults } from '../sharing.ts'
import { imageTag } from './image-name.ts'

export function containerDefaults<T extends Container>(container: T): T {
  return withDefaults(container, {
    terminationMessagePath: container.terminationMessagePath || '/dev/termination-log',
    terminationMessagePolicy: container.terminationMessagePolicy || 'File',
    imagePullPolicy:
      container.imagePullPolicy || (imageTag(container.image ?? '') === 'latest' ? 'Always' : 'IfNotPresent'),
    env: container.env && mapShared(container.env, envDefaults),
    livenessProbe: container.livenessProbe && probeDefaults(container.livenessProbe),
    readinessProbe: container.readinessProbe && probeDefaults(container.readinessProbe),
    startupProbe: container.startupProbe && probeDefaults(container.startupProbe),
    lifecycle: container.lifecycle && lifecycleDefaults(container.lifecycle),
    resources: resourceDefaults(container.resources ?? {}),
  } as Partial<T>)
}

/** Quantities are rounded up to a thousandth. */
export const resourceDefaults = (resources: ResourceRequirements): ResourceRequirements =>
  withDefaults(resources, { limits: roundResources(resources.limits), requests: roundResources(resources.requests) })

function envDefaults(variable: EnvVar): EnvVar {
  const source = variable.valueFrom
  if (source?.fieldRef === undefined) return variable
  return withDefaults(variable, { valueFrom: withDefaults(source, { fieldRef: fieldRefDefaults(source.fieldRef) }) })
}

export const fieldRefDefaults = (reference: ObjectFieldSelector): ObjectFieldSelector =>
  withDefaults(reference, { apiVersion: reference.apiVersion || 'v1' })

export function probeDefaults(probe: Probe): Probe {
  return withDefaults(probe, {
    timeoutSeconds: probe.timeoutSeconds || 1,
    periodSeconds: probe.periodSeconds || 10,
    successThreshold: probe.successThreshold || 1,
    failureThreshold: probe.failureThreshold || 3,
    httpGet: probe.httpGet && httpGetDefaults(probe.httpGet),
    grpc: probe.grpc && withDefaults(probe.grpc, { service: probe.grpc.service ?? '' }),
  })
}

const httpGetDefaults = (action: HTTPGetAction): HTTPGetAction =>
  withDefaults(action, { path: action.path || '/', scheme: action.scheme || 'HTTP' })

const lifecycleDefaults = (lifecycle: Lifecycle): Lifecycle =>
  withDefaults(lifecycle, {
    postStart: lifecycle.postStart && handlerDefaults(lifecycle.postStart),
    preStop: lifecycle.preStop && handlerDefaults(lifecycle.preStop),
  })

const handlerDefaults = (handler: LifecycleHandler): LifecycleHandler =>
  withDefaults(handler, { httpGet: handler.httpGet && httpGetDefaults(handler.httpGet) })
