// PodSecurity: what a namespace's labels say its pods must keep to. Pods that don't are refused; workloads whose pods
// would not are accepted with a warning.
// Reads: Namespace.

import { Namespace, type PodSpec } from '#kinds'
import type { AnyObject } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'
import { checks } from './checks.ts'

const prefix = 'pod-security.kubernetes.io'
type Level = 'privileged' | 'baseline' | 'restricted'

interface Policy {
  readonly level: Level
  readonly version: string
}

const templated = [
  'podtemplates',
  'replicationcontrollers',
  'replicasets',
  'deployments',
  'statefulsets',
  'daemonsets',
  'jobs',
  'cronjobs',
]

function policyOf(labels: Readonly<Record<string, string>> | undefined, mode: 'enforce' | 'warn'): Policy | undefined {
  const level = labels?.[`${prefix}/${mode}`]
  if (level === undefined) return undefined
  // A level that nobody knows is taken for the strictest, as in Kubernetes.
  const known: Level = level === 'privileged' || level === 'baseline' ? level : 'restricted'
  return { level: known, version: labels?.[`${prefix}/${mode}-version`] ?? 'latest' }
}

/** What is wrong with the pod at this level, as one text; undefined when nothing is. */
function breaches(spec: PodSpec, { level, version }: Policy): string | undefined {
  if (level === 'privileged') return undefined
  const asked = checks.filter((check) => level === 'restricted' || check.level === 'baseline')
  const replaced = new Set(asked.flatMap(({ replaces }) => replaces ?? []))
  const found = asked.filter(({ id }) => !replaced.has(id)).flatMap(({ find }) => find(spec) ?? [])
  if (found.length === 0) return undefined
  return `PodSecurity ${JSON.stringify(`${level}:${version}`)}: ${found.map(({ reason, detail }) => `${reason} (${detail})`).join(', ')}`
}

/** The pod that an object makes, if it makes any. */
function specOf(resource: string, object: AnyObject): PodSpec | undefined {
  type Template = { readonly spec?: PodSpec }
  type Job = { readonly spec?: { readonly template?: Template } }
  if (resource === 'pods') return object['spec'] as PodSpec | undefined
  if (resource === 'podtemplates') return (object['template'] as Template | undefined)?.spec
  if (resource === 'cronjobs')
    return (object['spec'] as { readonly jobTemplate?: Job } | undefined)?.jobTemplate?.spec?.template?.spec
  return (object as unknown as Job).spec?.template?.spec
}

function validate(request: AdmissionRequest, state: AdmissionState): void {
  const { object, old, operation, resource, namespace } = request
  const isPod = resource.resource === 'pods'
  if (object === undefined || operation === 'DELETE') return
  if (request.subresource !== '' && request.subresource !== 'ephemeralcontainers') return
  const labels = state.get(Namespace, '', namespace)?.metadata.labels
  const enforce = policyOf(labels, 'enforce')
  const warn = policyOf(labels, 'warn') ?? enforce
  if (enforce === undefined && warn === undefined) return
  if (old !== undefined && old['spec'] === object['spec']) return
  const spec = specOf(resource.resource, object)
  if (spec === undefined) return
  const refused = isPod && enforce !== undefined ? breaches(spec, enforce) : undefined
  if (refused !== undefined) throw refuse(request, `violates ${refused}`)
  const warned = warn === undefined ? undefined : breaches(spec, warn)
  if (warned !== undefined) request.warn(`would violate ${warned}`)
}

export const podSecurity: AdmissionPlugin = { name: 'PodSecurity', resources: ['pods', ...templated], validate }
