// Which NodeProfile decides what of a node, and what of that has a say in the life of one pod there. Pure.

import { appArmorOf, type NodeProfile, type NodeProfileSpec, type Pod } from '#kinds'
import { containersOf } from '../containers/containers.ts'
import { plainPath } from '../ground/plain-path.ts'
import type { DecidedField } from '../workload/decided-field.ts'

const single = [
  'imagefsCapacity',
  'evictionHard',
  'evictionSoft',
  'evictionMinimumReclaim',
  'evictionMaxPodGracePeriod',
  'evictionPressureTransitionSeconds',
] as const

const staticPodName = (manifest: unknown): string =>
  (manifest as { readonly metadata?: { readonly name?: string } }).metadata?.name ?? ''

/** What a profile says, one entry for all that another profile may say instead. */
function fieldsOf(spec: NodeProfileSpec): readonly string[] {
  const { files = [], resources = {}, csiDrivers = [], usage = {}, imagePulls = {}, staticPods = [] } = spec
  const { runtimeHandlers = [], appArmor = {} } = spec
  return [
    ...staticPods.map((manifest) => `staticPods.${staticPodName(manifest)}`),
    ...files.map(({ path }) => `files.${plainPath(path)}`),
    ...Object.keys(resources).map((name) => `resources.${name}`),
    ...csiDrivers.map(({ name }) => `csiDrivers.${name}`),
    ...Object.keys(usage).map((name) => `usage.${name}`),
    ...runtimeHandlers.map((name) => `runtimeHandlers.${name}`),
    ...(appArmor.enabled === undefined ? [] : ['appArmor.enabled']),
    ...(appArmor.profiles ?? []).map((name) => `appArmor.profiles.${name}`),
    ...Object.keys(imagePulls).map((name) => `imagePulls.${name}`),
    ...single.filter((field) => spec[field] !== undefined),
  ]
}

/** `profiles`: those that match the node, the most important first. */
export function nodeRules(profiles: readonly NodeProfile[]): readonly DecidedField[] {
  const decided = new Map<string, DecidedField>()
  for (const { metadata, spec } of profiles)
    for (const field of fieldsOf(spec))
      if (!decided.has(field)) decided.set(field, { field, rule: `NodeProfile ${metadata.name}` })
  return [...decided.values()]
}

/** Sizes and uses that make a resource run short, as the message of an evicted pod names it. */
const behindShortage: Readonly<Record<string, readonly string[]>> = {
  memory: ['usage.memory'],
  'ephemeral-storage': ['usage.nodefs', 'usage.imagefs', 'imagefsCapacity'],
  inodes: ['usage.inodes'],
  pids: ['usage.pids'],
}

/** Why the kubelet has ended the pod, or has not let it in. One that then ended well says so in its condition alone. */
const evictionMessage = ({ status }: Pod): string =>
  (status?.reason === 'Evicted'
    ? status.message
    : status?.conditions?.find(({ type, reason }) => type === 'DisruptionTarget' && reason === 'TerminationByKubelet')
        ?.message) ?? ''

function pressureFields(pod: Pod): readonly string[] {
  const message = evictionMessage(pod)
  const thresholds = single.filter((field) => field.startsWith('eviction'))
  const short = /^The node was low on resource: ([a-z-]+)\./.exec(message)?.[1]
  if (short !== undefined) return [...thresholds, ...(behindShortage[short] ?? [])]
  // Not let in, for whatever the node was under.
  return message.includes('The node had condition: [') ? [...thresholds, ...Object.values(behindShortage).flat()] : []
}

function appArmorFields(pod: Pod): readonly string[] {
  const profiles = containersOf(pod.spec).flatMap((container) => appArmorOf(container.spec, pod) ?? [])
  if (profiles.length === 0) return []
  return ['appArmor.enabled', ...profiles.map(({ localhostProfile = '' }) => `appArmor.profiles.${localhostProfile}`)]
}

/** What of a node's rules concerns this pod. */
export function rulesOfPod(pod: Pod, rules: readonly DecidedField[]): readonly DecidedField[] {
  if (rules.length === 0) return rules
  const { spec, metadata } = pod
  const containers = containersOf(spec).map((container) => container.spec.resources)
  const asked = new Set(
    containers.flatMap((one) => [one?.requests, one?.limits]).flatMap((one) => Object.keys(one ?? {})),
  )
  const isMirror = metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined
  const concerns = new Set([
    ...[...asked].map((name) => `resources.${name}`),
    ...(spec.volumes ?? []).flatMap(({ hostPath, csi }) => [
      ...(hostPath === undefined ? [] : [`files.${plainPath(hostPath.path)}`]),
      ...(csi === undefined ? [] : [`csiDrivers.${csi.driver}`]),
    ]),
    ...appArmorFields(pod),
    ...(isMirror ? [`staticPods.${(metadata.name ?? '').slice(0, -`-${spec.nodeName}`.length)}`] : []),
    ...pressureFields(pod),
  ])
  // Which of them the pod's class names is not looked up.
  const ofAll = ['imagePulls.', ...(spec.runtimeClassName ? ['runtimeHandlers.'] : [])]
  return rules.filter(({ field }) => concerns.has(field) || ofAll.some((prefix) => field.startsWith(prefix)))
}
