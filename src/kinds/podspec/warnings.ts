// Warnings for what is accepted in pods and templates but deprecated or without effect (pkg/api/pod/warnings.go), in the
// order in which Kubernetes gives them.

import type { ObjectMeta } from '#objects'
import type { Container, PodSpec, PodTemplateSpec } from '../generated/types.ts'
import { dnsLabel } from '../metadata/formats.ts'
import { addressWarnings } from '../network/forms.ts'
import { appArmorContainer, seccompContainer, seccompPod } from './annotations.ts'
import { containerWarnings, fractionWarning, portNameWarnings, portWarnings } from './container-warnings.ts'
import { placementWarnings, podAffinityWarnings } from './placement-warnings.ts'
import { volumeWarnings } from './volume-warnings.ts'
import { allContainers } from './windows.ts'

const none: readonly string[] = []

/** Warnings for a template below `path`. */
export function templateWarnings(template: PodTemplateSpec | undefined, path: string): readonly string[] {
  if (template?.spec === undefined) return none
  return specWarnings(template.spec, template.metadata ?? {}, { spec: `${path}.spec`, metadata: `${path}.metadata` })
}

export function podWarnings(spec: PodSpec, metadata: ObjectMeta): readonly string[] {
  return specWarnings(spec, metadata, { spec: 'spec', metadata: 'metadata' })
}

/** For names that become host names, where some software takes no dots. */
export function hostnameWarnings(name: string | undefined, use: string): readonly string[] {
  const faults = dnsLabel(name ?? '')
  if (faults.length === 0) return none
  const text = `this is used in ${use}, which can result in surprising behavior; a DNS label is recommended`
  return [`metadata.name: ${text}: [${faults.join(' ')}]`]
}

interface Paths {
  readonly spec: string
  readonly metadata: string
}

// Found by the pair of spec and annotations would be exact; most pods have no annotations that matter, so the spec will do.
const silentSpecs = new WeakSet<PodSpec>()

function specWarnings(spec: PodSpec, metadata: ObjectMeta, paths: Paths): readonly string[] {
  const annotations = metadata.annotations ?? {}
  const matters = Object.keys(annotations).some(isOld)
  if (!matters && silentSpecs.has(spec)) return none
  const path = paths.spec
  const told = (key: string): string => `${paths.metadata}.annotations[${key}]`
  const warnings = [
    ...placementWarnings(spec, path),
    ...oldAnnotations.flatMap(([key, text]) => (annotations[key] === undefined ? [] : [`${told(key)}: ${text}`])),
    ...volumeWarnings(spec.volumes ?? [], `${path}.volumes`),
    ...aliasWarnings(spec, path),
    ...secretWarnings(spec, path),
    ...['memory', 'ephemeral-storage'].flatMap((name) =>
      fractionWarning(spec.overhead?.[name], `${path}.overhead[${name}]`),
    ),
    ...(annotations[seccompPod] !== undefined && spec.securityContext?.seccompProfile === undefined
      ? [`${told(seccompPod)}: ${noSeccomp}`]
      : none),
    ...allContainers(spec, path).flatMap(({ container, at }) => [
      ...(matters ? profileWarnings(container, { spec, annotations, told }) : none),
      ...containerWarnings(container, at),
    ]),
    ...portWarnings(spec, path),
    ...portNameWarnings(spec, path),
    ...graceWarnings(spec, path),
    ...podAffinityWarnings(spec, path),
    ...formWarnings(spec, path),
  ]
  if (!matters && warnings.length === 0) silentSpecs.add(spec)
  return warnings
}

const oldAnnotations: readonly (readonly [key: string, text: string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
]
const noSeccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead'
const oldAppArmor = 'deprecated since v1.30; use the "appArmorProfile" field instead'

const isOld = (key: string): boolean =>
  key === seccompPod ||
  key.startsWith(seccompContainer) ||
  key.startsWith(appArmorContainer) ||
  oldAnnotations.some(([old]) => old === key)

interface Noted {
  readonly spec: PodSpec
  readonly annotations: Readonly<Record<string, string>>
  readonly told: (key: string) => string
}

/** Profiles that only an annotation names. Of AppArmor, a Pod hears when it is created: see its preparation. */
function profileWarnings(container: Container, { spec, annotations, told }: Noted): readonly string[] {
  const own = container.securityContext
  const [seccomp, armor] = [seccompContainer + container.name, appArmorContainer + container.name]
  const isTemplate = told('').startsWith('metadata.') === false
  const hasArmor = own?.appArmorProfile !== undefined || spec.securityContext?.appArmorProfile !== undefined
  return [
    ...(annotations[seccomp] !== undefined && own?.seccompProfile === undefined
      ? [`${told(seccomp)}: ${noSeccomp}`]
      : []),
    ...(isTemplate && annotations[armor] !== undefined && !hasArmor ? [`${told(armor)}: ${oldAppArmor}`] : []),
  ]
}

function aliasWarnings(spec: PodSpec, path: string): readonly string[] {
  const seen = new Set<string>()
  return (spec.hostAliases ?? []).flatMap((alias, i) => {
    if (seen.has(alias.ip)) return [`${path}.hostAliases[${i}].ip: duplicate ip ${JSON.stringify(alias.ip)}`]
    seen.add(alias.ip)
    return []
  })
}

/** Addresses that are not in their standard form. */
const formWarnings = ({ dnsConfig, hostAliases = [] }: PodSpec, path: string): readonly string[] => [
  ...(dnsConfig?.nameservers ?? []).flatMap((ip, i) => addressWarnings(ip, `${path}.dnsConfig.nameservers[${i}]`)),
  ...hostAliases.flatMap(({ ip }, i) => addressWarnings(ip, `${path}.hostAliases[${i}].ip`)),
]

function secretWarnings(spec: PodSpec, path: string): readonly string[] {
  const names = (spec.imagePullSecrets ?? []).map(({ name = '' }) => name)
  const at = (i: number): string => `${path}.imagePullSecrets[${i}].name`
  return [
    ...names.flatMap((name, i) =>
      names.indexOf(name) < i ? [`${at(i)}: duplicate name ${JSON.stringify(name)}`] : [],
    ),
    ...names.flatMap((name, i) => (name === '' ? [`${at(i)}: invalid empty name ""`] : [])),
  ]
}

function graceWarnings(spec: PodSpec, path: string): readonly string[] {
  if ((spec.terminationGracePeriodSeconds ?? 0) >= 0) return none
  return [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
}
