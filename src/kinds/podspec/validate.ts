// Faults of a pod spec, in Kubernetes' order, and of pod templates. A spec that was found sound is remembered: a
// ReplicaSet creates all of its pods from one spec.

import type { ObjectMeta } from '#objects'
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type { PodResourceClaim, PodSchedulingGate, PodSpec, PodTemplateSpec } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import { dnsLabel, dnsSubdomain, qualifiedName, rangeText } from '../metadata/formats.ts'
import { checkAnnotations, checkLabels } from '../metadata/validate.ts'
import { checkAffinity, checkSpread, checkTolerations } from './affinity.ts'
import { checkPodAnnotations, checkProfileAnnotations, mirrorAnnotation } from './annotations.ts'
import { checkContainers, checkEphemeralContainers, checkImageSpace, checkInitContainers } from './containers.ts'
import { checkDnsConfig, checkHostAliases } from './dns.ts'
import { checkContainerResources, checkPodResources } from './resources.ts'
import { checkHostUsers, checkPodSecurity } from './security.ts'
import { checkVolumes } from './volumes.ts'
import { checkHostProcess, checkOperatingSystem } from './windows.ts'

const soundInPods = new WeakSet<PodSpec>()
const soundInTemplates = new WeakSet<PodSpec>()

/** Faults of the spec of a Pod. */
export function checkPodSpecOfPod(spec: PodSpec, podMeta: ObjectMeta, errors: FieldError[]): void {
  if (soundInPods.has(spec)) return
  const before = errors.length
  checkPodSpec(spec, { path: 'spec', podMeta, errors })
  checkOnlyForPods(spec, errors)
  const dependsOnMeta =
    spec.resourceClaims !== undefined || (spec.volumes?.some((volume) => volume.ephemeral !== undefined) ?? false)
  if (errors.length === before && !dependsOnMeta) soundInPods.add(spec)
}

/** Faults of a pod template below `path`. */
export function checkTemplate(template: PodTemplateSpec, path: string, errors: FieldError[]): void {
  const meta = template.metadata ?? {}
  const spec = template.spec ?? ({} as PodSpec)
  checkTemplateMeta(template, path, errors)
  if (!soundInTemplates.has(spec)) {
    const before = errors.length
    checkPodSpec(spec, { path: `${path}.spec`, errors })
    if (errors.length === before) soundInTemplates.add(spec)
  }
  checkProfileAnnotations(meta.annotations, spec, { path: `${path}.spec`, errors })
  if ((spec.ephemeralContainers ?? []).length > 0)
    errors.push(forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'))
}

/** Faults of the metadata of a pod template: they stand at the template, not at its metadata. */
export function checkTemplateMeta({ metadata, spec }: PodTemplateSpec, path: string, errors: FieldError[]): void {
  checkLabels(metadata?.labels, `${path}.labels`, errors)
  checkAnnotations(metadata?.annotations, `${path}.annotations`, errors)
  checkPodAnnotations(metadata?.annotations, spec ?? ({} as PodSpec), { path: `${path}.annotations`, errors })
}

interface Target {
  readonly path: string
  /** Given for Pods only. */
  readonly podMeta?: ObjectMeta
  readonly errors: FieldError[]
}

function checkPodSpec(spec: PodSpec, target: Target): void {
  const { path, errors } = target
  if (spec.terminationGracePeriodSeconds === undefined) errors.push(required(`${path}.terminationGracePeriodSeconds`))
  const volumes = checkVolumes(spec.volumes ?? [], target.podMeta === undefined ? {} : { podMeta: target.podMeta }, {
    path: `${path}.volumes`,
    errors,
  })
  const claims = spec.resourceClaims ?? []
  const claimNames = new Set(claims.map(({ name }) => name).filter((name) => name !== ''))
  const isStatic = target.podMeta?.annotations?.[mirrorAnnotation] !== undefined
  // Told once a claim, about the pod as a whole.
  if (isStatic) for (const _claim of claims) errors.push(forbidden('[]', 'static pods do not support resource claims'))
  else checkResourceClaims(claims, `${path}.resourceClaims`, errors)
  const scope = { spec, volumes, claimNames, errors }
  checkContainers(`${path}.containers`, scope)
  checkInitContainers(`${path}.initContainers`, scope)
  checkEphemeralContainers(`${path}.ephemeralContainers`, scope)
  checkPodResources(spec, { path: `${path}.resources`, claimNames, errors })
  checkHostNetworkPorts(spec, target)
  checkChoice(spec.restartPolicy, `${path}.restartPolicy`, { choices: ['Always', 'OnFailure', 'Never'], errors })
  checkChoice(spec.dnsPolicy, `${path}.dnsPolicy`, {
    choices: ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'],
    errors,
  })
  checkLabels(spec.nodeSelector, `${path}.nodeSelector`, errors)
  checkPodSecurity(spec, `${path}.securityContext`, errors)
  checkAffinity(spec.affinity, `${path}.affinity`, errors)
  checkDnsConfig(spec, `${path}.dnsConfig`, errors)
  spec.readinessGates?.forEach((gate, i) => {
    for (const text of qualifiedName(gate.conditionType ?? ''))
      errors.push(invalid(`${path}.readinessGates[${i}].conditionType`, gate.conditionType ?? '', text))
  })
  checkGates(spec.schedulingGates ?? [], `${path}.schedulingGates`, errors)
  checkSpread(spec.topologySpreadConstraints ?? [], `${path}.topologySpreadConstraints`, errors)
  checkHostProcess(spec, path, errors)
  checkHostUsers(spec, path, errors)
  checkNamesAndTimes(spec, path, errors)
}

function checkNamesAndTimes(spec: PodSpec, path: string, errors: FieldError[]): void {
  checkName(spec.serviceAccountName, `${path}.serviceAccountName`, errors)
  checkName(spec.nodeName, `${path}.nodeName`, errors)
  const deadline = spec.activeDeadlineSeconds
  if (deadline !== undefined && (deadline < 1 || deadline > 2147483647))
    errors.push(invalid(`${path}.activeDeadlineSeconds`, deadline, rangeText(1, 2147483647)))
  for (const field of ['hostname', 'subdomain'] as const) {
    const name = spec[field]
    if (name) for (const text of dnsLabel(name)) errors.push(invalid(`${path}.${field}`, name, text))
  }
  checkTolerations(spec.tolerations ?? [], `${path}.tolerations`, errors)
  checkHostAliases(spec.hostAliases ?? [], `${path}.hostAliases`, errors)
  checkName(spec.priorityClassName, `${path}.priorityClassName`, errors)
  if (spec.runtimeClassName !== undefined)
    for (const text of dnsSubdomain(spec.runtimeClassName))
      errors.push(invalid(`${path}.runtimeClassName`, spec.runtimeClassName, text))
  if (spec.preemptionPolicy !== undefined)
    checkChoice(spec.preemptionPolicy, `${path}.preemptionPolicy`, {
      choices: ['PreemptLowerPriority', 'Never'],
      errors,
    })
  if (spec.overhead !== undefined)
    checkContainerResources({ limits: spec.overhead }, { path: `${path}.overhead`, claimNames: new Set(), errors })
  checkOperatingSystem(spec, path, errors)
}

function checkName(name: string | undefined, path: string, errors: FieldError[]): void {
  if (name) for (const text of dnsSubdomain(name)) errors.push(invalid(path, name, text))
}

export function checkChoice(
  value: string | undefined,
  path: string,
  { choices, errors }: { readonly choices: readonly string[]; readonly errors: FieldError[] },
): void {
  if (!value) errors.push(required(path))
  else if (!choices.includes(value)) errors.push(notSupported(path, value, choices))
}

const internalClaim = goStruct('Name="" ResourceClaimName ResourceClaimTemplateName')

function checkResourceClaims(claims: readonly PodResourceClaim[], path: string, errors: FieldError[]): void {
  const names = new Set<string>()
  claims.forEach((claim, i) => {
    const at = `${path}[${i}]`
    if (!claim.name) errors.push(required(`${at}.name`))
    else if (names.has(claim.name)) errors.push(duplicate(`${at}.name`, claim.name))
    else for (const text of dnsLabel(claim.name)) errors.push(invalid(`${at}.name`, claim.name, text))
    names.add(claim.name)
    const { resourceClaimName, resourceClaimTemplateName } = claim
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined)
      errors.push(
        invalid(
          at,
          asGoStruct(internalClaim, claim),
          'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
        ),
      )
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined)
      errors.push(
        invalid(
          at,
          asGoStruct(internalClaim, claim),
          'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
        ),
      )
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
      const name = claim[field]
      if (name !== undefined) for (const text of dnsSubdomain(name)) errors.push(invalid(`${at}.${field}`, name, text))
    }
  })
}

function checkGates(gates: readonly PodSchedulingGate[], path: string, errors: FieldError[]): void {
  const seen = new Set<string>()
  gates.forEach(({ name = '' }, i) => {
    for (const text of qualifiedName(name)) errors.push(invalid(`${path}[${i}]`, name, text))
    if (seen.has(name)) errors.push(duplicate(`${path}[${i}]`, name))
    seen.add(name)
  })
}

/** On the host's network the two ports are one; a template may leave the host port open, a Pod has it by default. */
function checkHostNetworkPorts(spec: PodSpec, { path, podMeta, errors }: Target): void {
  if (spec.hostNetwork !== true) return
  spec.containers?.forEach((container, i) => {
    container.ports?.forEach((port, j) => {
      const hostPort = port.hostPort ?? 0
      if ((podMeta !== undefined || hostPort !== 0) && hostPort !== port.containerPort)
        errors.push(
          invalid(
            `${path}.containers[${i}].ports[${j}].hostPort`,
            hostPort,
            'must match `containerPort` when `hostNetwork` is true',
          ),
        )
    })
  })
}

function checkOnlyForPods(spec: PodSpec, errors: FieldError[]): void {
  if (!spec.serviceAccountName)
    spec.volumes?.forEach((volume, i) => {
      volume.projected?.sources?.forEach((source, j) => {
        if (source.serviceAccountToken !== undefined)
          errors.push(
            forbidden(
              `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`,
              'must not be specified when serviceAccountName is not set',
            ),
          )
      })
    })
  spec.containers?.forEach((container, i) => {
    checkImageSpace(container, `spec.containers[${i}]`, errors)
  })
  spec.initContainers?.forEach((container, i) => {
    checkImageSpace(container, `spec.initContainers[${i}]`, errors)
  })
}
