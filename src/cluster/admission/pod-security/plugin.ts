// PodSecurity: what a namespace's labels say its pods must keep to. Pods that don't are refused; workloads whose pods
// would not are accepted with a warning. A namespace that becomes stricter warns of the pods that it has.
// Reads: Namespace, Pod.

import { ApiError } from '#api'
import { Namespace, Pod, type PodSpec, toCause } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'
import { breachText, existingBreaches, isStricter, labelFaults, policyOf, policyText, warnedOf } from './policy.ts'

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

const ignoredSubresources = ['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']

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
  const { object, operation, resource, subresource } = request
  if (object === undefined || operation === 'DELETE' || operation === 'CONNECT') return
  if (resource.resource === 'namespaces') {
    if (subresource === '') validateNamespace(request, object, state)
    return
  }
  const isPod = resource.resource === 'pods'
  if (isPod ? !ignoredSubresources.includes(subresource) : subresource === '') validatePods(request, object, state)
}

function validatePods(request: AdmissionRequest, object: AnyObject, state: AdmissionState): void {
  const { old, resource, namespace } = request
  const { labels } = state.get(Namespace, '', namespace)?.metadata ?? {}
  const [enforce, audit, warn] = [policyOf(labels, 'enforce'), policyOf(labels, 'audit'), warnedOf(labels)]
  if (enforce === undefined && warn === undefined && audit === undefined) return
  const isPod = resource.resource === 'pods'
  if (isPod && old !== undefined && !isSignificant(object as unknown as Pod, old as unknown as Pod)) return
  const spec = specOf(resource.resource, object)
  if (spec === undefined) return
  if (audit !== undefined) {
    const audited = breachText(spec, audit)
    if (audited !== undefined)
      request.annotate('pod-security.kubernetes.io/audit-violations', `would violate ${audited}`)
  }
  if (isPod && enforce !== undefined) {
    request.annotate('pod-security.kubernetes.io/enforce-policy', policyText(enforce))
    const refused = breachText(spec, enforce)
    if (refused !== undefined) throw refuse(request, `violates ${refused}`)
  }
  const warned = warn === undefined ? undefined : breachText(spec, warn)
  if (warned !== undefined) request.warn(`would violate ${warned}`)
}

type Contained = { readonly name: string; readonly image?: string }

/** Whether a pod runs something else than before: what else can change of it, no standard speaks of. */
function isSignificant({ spec }: Pod, { spec: old }: Pod): boolean {
  if (spec === old) return false
  const differs = (now: readonly Contained[], before: readonly Contained[]): boolean =>
    now.some((container) => before.find(({ name }) => name === container.name)?.image !== container.image)
  const [containers, inits] = [old.containers, old.initContainers ?? []]
  return (
    spec.containers.length !== containers.length ||
    (spec.initContainers ?? []).length !== inits.length ||
    differs(spec.containers, containers) ||
    differs(spec.initContainers ?? [], inits) ||
    differs(spec.ephemeralContainers ?? [], old.ephemeralContainers ?? [])
  )
}

function validateNamespace(request: AdmissionRequest, { metadata }: AnyObject, state: AdmissionState): void {
  const { old } = request
  if (metadata.labels === old?.metadata.labels) return
  const faults = labelFaults(metadata.labels)
  if (faults.length > 0 && !isEqual(faults, labelFaults(old?.metadata.labels)))
    throw invalidLabels(request.errorName, faults)
  if (old === undefined) return
  const enforce = policyOf(metadata.labels, 'enforce')
  if (!isStricter(enforce, policyOf(old.metadata.labels, 'enforce'))) return
  const name = metadata.name ?? ''
  const pods = state.list(Pod, name).map((pod) => ({ name: pod.metadata.name ?? '', spec: pod.spec }))
  for (const text of existingBreaches(name, pods, enforce)) request.warn(text)
}

function invalidLabels(name: string, faults: ReturnType<typeof labelFaults>): ApiError {
  const texts = faults.map(({ field, message }) => `${field}: ${message}`)
  const summary = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `Namespace ${JSON.stringify(name)} is invalid: ${summary}`,
    details: { name, kind: 'Namespace', causes: faults.map(toCause) },
  })
}

export const podSecurity: AdmissionPlugin = {
  name: 'PodSecurity',
  resources: ['namespaces', 'pods', ...templated],
  validate,
}
