// Which levels of the Pod Security Standards a namespace's labels ask for, over what the cluster asks of all, and what a pod
// has against one. Pure.

import { type FieldError, invalid, type PodSpec } from '#kinds'
import type { Breach } from './check.ts'
import { checks } from './checks.ts'

const prefix = 'pod-security.kubernetes.io'
export const modes = ['enforce', 'audit', 'warn'] as const
export const levels = ['privileged', 'baseline', 'restricted'] as const
export type Level = (typeof levels)[number]

export interface Policy {
  readonly level: Level
  readonly version: string
}

type Mode = (typeof modes)[number]
export type Policies = Readonly<Record<Mode, Policy>>
export type Labels = Readonly<Record<string, string>> | undefined

const nothing: Policy = { level: 'privileged', version: 'latest' }
/** What is asked where neither labels nor a configuration say anything. */
export const privileged: Policies = { enforce: nothing, audit: nothing, warn: nothing }

export const levelText = `must be one of ${levels.join(', ')}`
export const versionText = 'must be "latest" or "v1.x"'
export const levelOf = (text: string): Level | undefined => levels.find((one) => one === text)
export const isVersion = (text: string): boolean => text === 'latest' || /^v1\.([0-9]|[1-9][0-9]*)$/.test(text)

const levelLabel = (mode: Mode): string => `${prefix}/${mode}`
const versionLabel = (mode: Mode): string => `${prefix}/${mode}-version`

/** What nobody can read is taken for the strictest when it is to be enforced, and for nothing otherwise. */
export function policiesOf(labels: Labels, defaults: Policies): Policies {
  if (labels === undefined) return defaults
  const asked = (mode: Mode): Policy => {
    const level = labels[levelLabel(mode)]
    const version = labels[versionLabel(mode)]
    if (level === undefined && version === undefined) return defaults[mode]
    const unknown = mode === 'enforce' ? 'restricted' : 'privileged'
    return {
      level: level === undefined ? defaults[mode].level : (levelOf(level) ?? unknown),
      version: version === undefined ? defaults[mode].version : isVersion(version) ? version : 'latest',
    }
  }
  const [enforce, audit, warn] = [asked('enforce'), asked('audit'), asked('warn')]
  return { enforce, audit, warn: impliedWarning(labels, enforce, warn) }
}

/** Where nothing is said of warnings, all that labels have enforced is warned of. */
function impliedWarning(labels: NonNullable<Labels>, enforce: Policy, warn: Policy): Policy {
  const isSaid = labels[levelLabel('warn')] !== undefined
  if (isSaid || levelOf(labels[levelLabel('enforce')] ?? '') === undefined || !isAbove(enforce, warn)) return warn
  return { level: enforce.level, version: labels[versionLabel('warn')] === undefined ? enforce.version : warn.version }
}

export const policyText = ({ level, version }: Policy): string => `${level}:${version}`

const isAbove = (one: Policy, other: Policy): boolean => levels.indexOf(one.level) > levels.indexOf(other.level)

export const asksNothing = ({ level }: Policy): boolean => level === 'privileged'

/** Whether pods that the old policy let pass may break the new one. */
export const isStricter = (next: Policy, old: Policy): boolean =>
  !asksNothing(next) && (next.version !== old.version || isAbove(next, old))

export function labelFaults(labels: Labels): readonly FieldError[] {
  const fault = (label: string, isGood: (value: string) => boolean, detail: string): readonly FieldError[] => {
    const value = labels?.[label]
    return value === undefined || isGood(value) ? [] : [invalid(`metadata.labels[${label}]`, value, detail)]
  }
  return modes.flatMap((mode) => [
    ...fault(levelLabel(mode), (value) => levelOf(value) !== undefined, levelText),
    ...fault(versionLabel(mode), isVersion, versionText),
  ])
}

/** What is said when a namespace that is exempt asks for something; undefined when it does not. */
export function exemptText(namespace: string, labels: Labels, defaults: Policies): string | undefined {
  const policies = policiesOf(labels, defaults)
  const isSame = modes.every(
    (mode) =>
      (asksNothing(policies[mode]) && asksNothing(defaults[mode])) ||
      policyText(policies[mode]) === policyText(defaults[mode]),
  )
  if (isSame || modes.every((mode) => asksNothing(policies[mode]))) return undefined
  const said = modes
    .filter((mode) => labels?.[levelLabel(mode)] !== undefined || labels?.[versionLabel(mode)] !== undefined)
    .filter((mode) => !asksNothing(policies[mode]))
    .map((mode) => `${mode}=${policyText(policies[mode])}`)
  return `namespace ${JSON.stringify(namespace)} is exempt from Pod Security, and the policy (${said.join(', ')}) will be ignored`
}

/** What is wrong with a pod at this level. */
function breachesOf(spec: PodSpec, { level, version }: Policy): readonly Breach[] {
  if (level === 'privileged') return []
  const minor = version === 'latest' ? Number.POSITIVE_INFINITY : Number(version.slice('v1.'.length))
  const known = checks.filter(
    (check) => (level === 'restricted' || check.level === 'baseline') && (check.since ?? 0) <= minor,
  )
  const newest = new Map(known.map((check) => [check.id, check]))
  const asked = [...newest.values()]
  const replaced = new Set(asked.flatMap(({ replaces }) => replaces ?? []))
  return asked.filter(({ id }) => !replaced.has(id)).flatMap(({ find }) => find(spec) ?? [])
}

/** The same as one text; undefined when nothing is wrong. */
export function breachText(spec: PodSpec, policy: Policy): string | undefined {
  const found = breachesOf(spec, policy)
  if (found.length === 0) return undefined
  const texts = found.map(({ reason, detail }) => `${reason} (${detail})`)
  return `PodSecurity ${JSON.stringify(policyText(policy))}: ${texts.join(', ')}`
}

export interface NamedPod {
  readonly name: string
  readonly spec: PodSpec
  /** Uid of the controller that made it. */
  readonly owner?: string | undefined
}

const maxChecked = 3000

/** One pod of each controller comes first: the others are most likely like it. */
function firstOfAll(pods: readonly NamedPod[]): readonly NamedPod[] {
  const known = new Set<string>()
  const [first, others]: [NamedPod[], NamedPod[]] = [[], []]
  for (const pod of pods) {
    ;(pod.owner !== undefined && known.has(pod.owner) ? others : first).push(pod)
    if (pod.owner !== undefined) known.add(pod.owner)
  }
  return [...first, ...others]
}

/** What is said of pods that are there already when their namespace becomes stricter. */
export function existingBreaches(namespace: string, pods: readonly NamedPod[], policy: Policy): readonly string[] {
  const names = new Map<string, string[]>()
  const checked = firstOfAll(pods).slice(0, maxChecked)
  for (const { name, spec } of checked) {
    const reasons = breachesOf(spec, policy)
      .map(({ reason }) => reason)
      .join(', ')
    if (reasons !== '') names.set(reasons, [...(names.get(reasons) ?? []), name])
  }
  const partly =
    checked.length === pods.length
      ? []
      : [
          `new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`,
        ]
  if (names.size === 0) return partly
  const head = `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${JSON.stringify(policyText(policy))}`
  const texts = [...names].map(([reasons, of]) => {
    const others = of.length - 1
    const rest = others === 0 ? '' : others === 1 ? ' (and 1 other pod)' : ` (and ${others} other pods)`
    return `${of.sort()[0]}${rest}: ${reasons}`
  })
  return [...partly, head, ...texts.sort()]
}
