// Warnings for what is accepted in pods and templates but deprecated or without effect (pkg/api/pod/warnings.go).

import { type ObjectMeta, parseQuantity } from '#objects'
import type { Container, ContainerPort, PodSpec, PodTemplateSpec, Volume } from '../generated/types.ts'
import { appArmorContainer } from './annotations.ts'
import { affinityWarnings, labelWarning } from './placement-warnings.ts'
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

// Found by the pair of spec and annotations would be exact; most pods have no annotations that matter, so the spec will do.
const silentSpecs = new WeakSet<PodSpec>()

interface Paths {
  readonly spec: string
  readonly metadata: string
}

function specWarnings(spec: PodSpec, metadata: ObjectMeta, paths: Paths): readonly string[] {
  const annotations = metadata.annotations ?? {}
  const ofAnnotations = Object.keys(annotations).length === 0 ? none : annotationWarnings(annotations, paths.metadata)
  if (silentSpecs.has(spec)) return ofAnnotations
  const path = paths.spec
  const before = [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) => labelWarning(key, `${path}.nodeSelector[${key}]`)),
    ...affinityWarnings(spec, path),
  ]
  const after = [
    ...aliasWarnings(spec, path),
    ...(spec.volumes ?? []).flatMap((volume, i) => volumeWarnings(volume, `${path}.volumes[${i}]`)),
    ...secretWarnings(spec, path),
    ...allContainers(spec, path).flatMap(({ container, at }) => containerWarnings(container, at)),
    ...graceWarnings(spec, path),
  ]
  if (before.length + after.length === 0) silentSpecs.add(spec)
  return [...before, ...ofAnnotations, ...after]
}

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'seccomp.security.alpha.kubernetes.io/pod': 'non-functional in v1.27+; use the "seccompProfile" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
}

function annotationWarnings(annotations: Readonly<Record<string, string>>, path: string): readonly string[] {
  return Object.keys(annotations)
    .sort()
    .flatMap((key) => {
      const at = `${path}.annotations[${key}]`
      const text = deprecatedAnnotations[key]
      if (text !== undefined) return [`${at}: ${text}`]
      if (key.startsWith('container.seccomp.security.alpha.kubernetes.io/'))
        return [`${at}: non-functional in v1.27+; use the "seccompProfile" field instead`]
      if (key.startsWith(appArmorContainer))
        return [`${at}: deprecated since v1.30; use the "appArmorProfile" field instead`]
      return []
    })
}

function aliasWarnings(spec: PodSpec, path: string): readonly string[] {
  const seen = new Set<string>()
  return (spec.hostAliases ?? []).flatMap((alias, i) => {
    if (seen.has(alias.ip)) return [`${path}.hostAliases[${i}].ip: duplicate ip ${JSON.stringify(alias.ip)}`]
    seen.add(alias.ip)
    return []
  })
}

const deprecatedVolumes: { readonly [K in keyof Volume]?: string } = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
}

const shownVolumes: Readonly<Record<string, string>> = { storageos: 'storageOS', cephfs: 'cephfs' }

function volumeWarnings(volume: Volume, path: string): readonly string[] {
  return (Object.keys(deprecatedVolumes) as (keyof Volume)[]).flatMap((field) =>
    volume[field] === undefined ? [] : [`${path}.${shownVolumes[field] ?? field}: ${deprecatedVolumes[field]}`],
  )
}

function secretWarnings(spec: PodSpec, path: string): readonly string[] {
  const seen = new Set<string>()
  return (spec.imagePullSecrets ?? []).flatMap(({ name }, i) => {
    const at = `${path}.imagePullSecrets[${i}]`
    if (!name) return [`${at}: invalid empty name ""`]
    if (seen.has(name)) return [`${at}: duplicate name ${JSON.stringify(name)}`]
    seen.add(name)
    return []
  })
}

function containerWarnings(container: Container, path: string): readonly string[] {
  return [
    ...envWarnings(container, path),
    ...fractionWarnings(container, path),
    ...portWarnings(container.ports ?? [], `${path}.ports`),
  ]
}

function envWarnings(container: Container, path: string): readonly string[] {
  const variables = container.env ?? []
  if (variables.length < 2) return none
  const values = new Map<string, string | undefined>()
  return variables.flatMap((variable, i) => {
    const isKnown = values.has(variable.name)
    // A later definition may build on an earlier one by naming it: $(NAME).
    const referred = variable.value?.includes(`$(${variable.name})`) ?? false
    values.set(variable.name, variable.value)
    if (!isKnown || referred) return []
    return [
      `${path}.env[${i}]: hides previous definition of ${JSON.stringify(variable.name)}, which may be dropped when using apply`,
    ]
  })
}

function fractionWarnings(container: Container, path: string): readonly string[] {
  return (['limits', 'requests'] as const).flatMap((list) => {
    const amounts = container.resources?.[list] ?? {}
    return ['memory', 'ephemeral-storage'].flatMap((name) => {
      const amount = amounts[name]
      if (amount === undefined || parseQuantity(amount).nano % 1_000_000_000n === 0n) return []
      return [
        `${path}.resources.${list}[${name}]: fractional byte value ${JSON.stringify(String(amount))} is invalid, must be an integer`,
      ]
    })
  })
}

function portWarnings(ports: readonly ContainerPort[], path: string): readonly string[] {
  if (ports.length < 2) return none
  const same = (a: ContainerPort, b: ContainerPort): boolean =>
    a.containerPort === b.containerPort &&
    a.protocol === b.protocol &&
    (a.hostPort ?? 0) === (b.hostPort ?? 0) &&
    (a.hostIP ?? '') === (b.hostIP ?? '')
  return ports.flatMap((port, i) => {
    const first = ports.findIndex((other) => same(other, port))
    return first < i ? [`${path}[${i}]: duplicate port definition with ${path}[${first}]`] : []
  })
}

function graceWarnings(spec: PodSpec, path: string): readonly string[] {
  if ((spec.terminationGracePeriodSeconds ?? 0) >= 0) return none
  return [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
}
