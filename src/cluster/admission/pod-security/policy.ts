// Which level of the Pod Security Standards a namespace's labels ask for, and what a pod has against it. Pure.

import { type FieldError, invalid, type PodSpec } from '#kinds'
import type { Breach } from './check.ts'
import { checks } from './checks.ts'

const prefix = 'pod-security.kubernetes.io'
const levels = ['privileged', 'baseline', 'restricted'] as const
type Level = (typeof levels)[number]

export interface Policy {
  readonly level: Level
  readonly version: string
}

type Mode = 'enforce' | 'audit' | 'warn'
export type Labels = Readonly<Record<string, string>> | undefined

/** Undefined where nothing is asked for. What nobody can read is taken for the strictest when it is to be enforced. */
export function policyOf(labels: Labels, mode: Mode): Policy | undefined {
  const level = labels?.[`${prefix}/${mode}`]
  if (level === undefined) return undefined
  const known = levels.find((one) => one === level) ?? (mode === 'enforce' ? 'restricted' : 'privileged')
  return { level: known, version: labels?.[`${prefix}/${mode}-version`] ?? 'latest' }
}

/** What is warned of: where nothing is said, all that is enforced. */
export const warnedOf = (labels: Labels): Policy | undefined => policyOf(labels, 'warn') ?? policyOf(labels, 'enforce')

export const policyText = ({ level, version }: Policy): string => `${level}:${version}`

const strictness = (policy: Policy | undefined): number => levels.indexOf(policy?.level ?? 'privileged')

/** Whether pods that the old policy let pass may break the new one. */
export function isStricter(next: Policy | undefined, old: Policy | undefined): next is Policy {
  if (next === undefined || next.level === 'privileged') return false
  return next.version !== (old?.version ?? 'latest') || strictness(next) > strictness(old)
}

export function labelFaults(labels: Labels): readonly FieldError[] {
  return (['enforce', 'audit', 'warn'] as const).flatMap((mode) => {
    const fault = (label: string, isGood: (value: string) => boolean, detail: string): readonly FieldError[] => {
      const value = labels?.[label]
      return value === undefined || isGood(value) ? [] : [invalid(`metadata.labels[${label}]`, value, detail)]
    }
    const isVersion = (value: string): boolean => value === 'latest' || /^v1\.([0-9]|[1-9][0-9]+)$/.test(value)
    return [
      ...fault(
        `${prefix}/${mode}`,
        (value) => levels.some((one) => one === value),
        `must be one of ${levels.join(', ')}`,
      ),
      ...fault(`${prefix}/${mode}-version`, isVersion, 'must be "latest" or "v1.x"'),
    ]
  })
}

/** What is wrong with a pod at this level. */
export function breachesOf(spec: PodSpec, { level, version }: Policy): readonly Breach[] {
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
}

/** What is said of pods that are there already when their namespace becomes stricter. */
export function existingBreaches(namespace: string, pods: readonly NamedPod[], policy: Policy): readonly string[] {
  const names = new Map<string, string[]>()
  for (const { name, spec } of pods) {
    const reasons = breachesOf(spec, policy)
      .map(({ reason }) => reason)
      .join(', ')
    if (reasons !== '') names.set(reasons, [...(names.get(reasons) ?? []), name])
  }
  if (names.size === 0) return []
  const head = `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${JSON.stringify(policyText(policy))}`
  const texts = [...names].map(([reasons, of]) => {
    const others = of.length - 1
    const rest = others === 0 ? '' : others === 1 ? ' (and 1 other pod)' : ` (and ${others} other pods)`
    return `${of.sort()[0]}${rest}: ${reasons}`
  })
  return [head, ...texts.sort()]
}
