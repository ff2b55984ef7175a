// PodSecurity: what a namespace's labels, or else the cluster's defaults, say its pods must keep to. Pods that don't are
// refused; workloads whose pods would not are accepted with a warning. A namespace that becomes stricter warns of the pods
// that it has. Some namespaces, users and runtime classes may be exempt.
// Reads: Namespace, Pod.

import { ApiError } from '#api'
import { Namespace, Pod, type PodSpec, toCause } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'
import {
  type PodSecurityConfiguration,
  podSecurityVersions,
  readPodSecurity,
  usualPodSecurity,
} from './configuration.ts'
import {
  asksNothing,
  breachText,
  exemptText,
  existingBreaches,
  isStricter,
  labelFaults,
  type NamedPod,
  policiesOf,
  policyText,
} from './policy.ts'

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

const note = (request: AdmissionRequest, key: string, value: string): void =>
  request.annotate(`pod-security.kubernetes.io/${key}`, value)

function validate(request: AdmissionRequest, state: AdmissionState, config: PodSecurityConfiguration): void {
  const { object, operation, resource, subresource } = request
  if (object === undefined || operation === 'DELETE' || operation === 'CONNECT') return
  if (resource.resource === 'namespaces') {
    if (subresource === '') validateNamespace(request, object, { state, config })
    return
  }
  const isPod = resource.resource === 'pods'
  if (isPod ? ignoredSubresources.includes(subresource) : subresource !== '') return
  const { exemptions } = config
  if (exemptions.namespaces.includes(request.namespace)) note(request, 'exempt', 'namespace')
  else if (exemptions.usernames.includes(request.caller.user)) note(request, 'exempt', 'user')
  else validatePods(request, object, { state, config })
}

interface Around {
  readonly state: AdmissionState
  readonly config: PodSecurityConfiguration
}

const isExemptClass = (spec: PodSpec, { exemptions }: PodSecurityConfiguration): boolean =>
  spec.runtimeClassName !== undefined && exemptions.runtimeClasses.includes(spec.runtimeClassName)

function validatePods(request: AdmissionRequest, object: AnyObject, { state, config }: Around): void {
  const { old, resource, namespace } = request
  const { labels } = state.get(Namespace, '', namespace)?.metadata ?? {}
  const { enforce, audit, warn } = policiesOf(labels, config.defaults)
  const isPod = resource.resource === 'pods'
  if (asksNothing(warn) && asksNothing(audit) && (!isPod || asksNothing(enforce))) {
    if (isPod) note(request, 'enforce-policy', 'privileged:latest')
    return
  }
  if (isPod && old !== undefined && !isSignificant(object as unknown as Pod, old as unknown as Pod)) return
  const spec = specOf(resource.resource, object)
  if (spec === undefined) return
  if (isExemptClass(spec, config)) {
    note(request, 'exempt', 'runtimeClass')
    return
  }
  const unreadable = labelFaults(labels)
  if (unreadable.length > 0) note(request, 'error', `Failed to parse policy: ${summaryOf(unreadable)}`)
  const audited = breachText(spec, audit)
  if (audited !== undefined) note(request, 'audit-violations', `would violate ${audited}`)
  if (isPod) {
    note(request, 'enforce-policy', policyText(enforce))
    const refused = breachText(spec, enforce)
    if (refused !== undefined) throw refuse(request, `violates ${refused}`)
  }
  const warned = breachText(spec, warn)
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

function validateNamespace(request: AdmissionRequest, { metadata }: AnyObject, { state, config }: Around): void {
  const { old } = request
  const { labels, name = '' } = metadata
  if (labels === old?.metadata.labels) return
  const faults = labelFaults(labels)
  if (faults.length > 0 && !isEqual(faults, labelFaults(old?.metadata.labels)))
    throw invalidLabels(request.errorName, faults)
  const { enforce } = policiesOf(labels, config.defaults)
  if (old !== undefined && !isStricter(enforce, policiesOf(old.metadata.labels, config.defaults).enforce)) return
  if (config.exemptions.namespaces.includes(name)) {
    const ignored = exemptText(name, labels, config.defaults)
    if (ignored !== undefined) request.warn(ignored)
  } else if (old !== undefined) {
    const pods = state.list(Pod, name).filter(({ spec }) => !isExemptClass(spec, config))
    for (const text of existingBreaches(name, pods.map(namedPod), enforce)) request.warn(text)
  }
}

const namedPod = ({ metadata, spec }: Pod): NamedPod => ({
  name: metadata.name ?? '',
  spec,
  owner: metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid,
})

function summaryOf(faults: ReturnType<typeof labelFaults>): string {
  const texts = faults.map(({ field, message }) => `${field}: ${message}`)
  return texts.length === 1 ? `${texts[0]}` : `[${texts.join(', ')}]`
}

function invalidLabels(name: string, faults: ReturnType<typeof labelFaults>): ApiError {
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `Namespace ${JSON.stringify(name)} is invalid: ${summaryOf(faults)}`,
    details: { name, kind: 'Namespace', causes: faults.map(toCause) },
  })
}

const podSecurityBy = (config: PodSecurityConfiguration): AdmissionPlugin => ({
  name: 'PodSecurity',
  resources: ['namespaces', 'pods', ...templated],
  configuration: {
    versions: podSecurityVersions,
    read: (fields) => podSecurityBy(readPodSecurity(fields)),
  },
  validate: (request, state) => validate(request, state, config),
})

export const podSecurity = podSecurityBy(usualPodSecurity)
