// Defaults of a pod spec: those of every spec (pods and templates) and those that only a Pod gets. Results are kept by
// reference: the pods of a ReplicaSet hand in one spec.

import type { Container, ContainerPort, PodSpec, PodTemplateSpec } from '../generated/types.ts'
import { roundResources } from '../quantity/round.ts'
import { mapShared, remembered, withDefaults } from '../sharing.ts'
import { containerDefaults, resourceDefaults } from './container-defaults.ts'
import { withoutDisabled } from './disabled-fields.ts'
import { podLevelDefaults } from './pod-level-resources.ts'
import { volumeDefaults } from './volume-defaults.ts'

export const podSpecDefaults: (spec: PodSpec) => PodSpec = remembered((given) => {
  const spec = withoutDisabled(given)
  const account = spec.serviceAccountName || spec.serviceAccount
  return withDefaults(spec, {
    volumes: spec.volumes && mapShared(spec.volumes, volumeDefaults),
    initContainers: spec.initContainers && mapShared(spec.initContainers, containerDefaults),
    containers: spec.containers && mapShared(spec.containers, containerDefaults),
    ephemeralContainers: spec.ephemeralContainers && mapShared(spec.ephemeralContainers, containerDefaults),
    dnsPolicy: spec.dnsPolicy || 'ClusterFirst',
    restartPolicy: spec.restartPolicy || 'Always',
    securityContext: spec.securityContext ?? {},
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
    schedulerName: spec.schedulerName || 'default-scheduler',
    serviceAccountName: account || undefined,
    serviceAccount: account || undefined,
    overhead: roundResources(spec.overhead),
    resources: spec.resources && resourceDefaults(spec.resources),
  })
})

export function templateDefaults(template: PodTemplateSpec | undefined): PodTemplateSpec {
  const given = template ?? {}
  return withDefaults(given, {
    metadata: given.metadata ?? {},
    spec: podSpecDefaults(given.spec ?? ({ containers: null } as unknown as PodSpec)),
  })
}

/** What a Pod gets beyond a template: requests from limits, service links, host ports on the host network. */
const podOnlyDefaults: (spec: PodSpec) => PodSpec = remembered((spec) => {
  const change = (container: Container): Container => {
    const requested = requestsFromLimits(container)
    return spec.hostNetwork === true && requested.ports !== undefined
      ? withDefaults(requested, { ports: mapShared(requested.ports, hostPort) })
      : requested
  }
  const changed = withDefaults(spec, {
    containers: spec.containers && mapShared(spec.containers, change),
    initContainers: spec.initContainers && mapShared(spec.initContainers, change),
    enableServiceLinks: spec.enableServiceLinks ?? true,
  })
  return withDefaults(changed, { resources: podLevelDefaults(changed) })
})

/** A spec that has its defaults, by its list of containers. */
const complete = new WeakMap<readonly Container[], PodSpec>()

/** All defaults of a Pod's spec. Pods of one owner differ in nothing but their node, so most specs are known to be complete. */
export function ownDefaults(spec: PodSpec): PodSpec {
  const known = Array.isArray(spec.containers) ? complete.get(spec.containers) : undefined
  if (known !== undefined && differsInNodeOnly(spec as Fields, known as Fields)) return spec
  const made = podOnlyDefaults(podSpecDefaults(spec))
  if (Array.isArray(made.containers)) complete.set(made.containers, made)
  return made
}

type Fields = { readonly [field in keyof PodSpec]: unknown } & { readonly [field: string]: unknown }

function differsInNodeOnly(spec: Fields, known: Fields): boolean {
  for (const field in spec) if (spec[field] !== known[field] && field !== 'nodeName') return false
  for (const field in known) if (spec[field] === undefined && field !== 'nodeName') return false
  return true
}

function requestsFromLimits(container: Container): Container {
  const { limits, requests } = container.resources ?? {}
  if (limits === undefined) return container
  const missing = Object.keys(limits).filter((name) => requests?.[name] === undefined)
  if (missing.length === 0) return container
  const added = Object.fromEntries(missing.map((name) => [name, limits[name] ?? '0']))
  return { ...container, resources: { ...container.resources, requests: { ...requests, ...added } } }
}

const hostPort = (port: ContainerPort): ContainerPort =>
  withDefaults(port, { hostPort: port.hostPort || port.containerPort })
