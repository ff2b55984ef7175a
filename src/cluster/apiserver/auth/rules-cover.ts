// Whether some rules allow all that others allow (component-helpers/auth/rbac/validation): both when a role may be handed
// on, and when the roles of Kubernetes itself are made whole again. Pure.

import type { PolicyRule } from '#kinds'

type Words = readonly string[]

const words = (values: readonly string[] | null | undefined): Words => values ?? []

const hasAll = (all: Words, wanted: Words): boolean => wanted.every((one) => all.includes(one))

/** The rules of `wanted`, in their smallest parts, that `owned` does not allow; empty when everything is covered. */
export function missingRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(partsOf).filter((part) => !owned.some((rule) => coversPart(rule, part)))
}

/** One verb on one resource (of one name), or on one path. */
function partsOf(rule: PolicyRule): readonly PolicyRule[] {
  const parts: PolicyRule[] = []
  for (const apiGroup of words(rule.apiGroups))
    for (const resource of words(rule.resources))
      for (const verb of words(rule.verbs)) {
        const part = { apiGroups: [apiGroup], resources: [resource], verbs: [verb] }
        const names = words(rule.resourceNames)
        if (names.length === 0) parts.push(part)
        else for (const name of names) parts.push({ ...part, resourceNames: [name] })
      }
  for (const url of words(rule.nonResourceURLs))
    for (const verb of words(rule.verbs)) parts.push({ nonResourceURLs: [url], verbs: [verb] })
  return parts
}

function coversPart(owner: PolicyRule, part: PolicyRule): boolean {
  const verbs = words(owner.verbs)
  const groups = words(owner.apiGroups)
  const names = words(owner.resourceNames)
  const partNames = words(part.resourceNames)
  return (
    (verbs.includes('*') || hasAll(verbs, words(part.verbs))) &&
    (groups.includes('*') || hasAll(groups, words(part.apiGroups))) &&
    coversResources(words(owner.resources), words(part.resources)) &&
    (names.length === 0 || (partNames.length > 0 && hasAll(names, partNames))) &&
    words(part.nonResourceURLs).every((url) => coversUrl(words(owner.nonResourceURLs), url))
  )
}

/** `*` covers everything, `*` + `/scale` that subresource of everything. */
function coversResources(owned: Words, wanted: Words): boolean {
  if (owned.includes('*') || hasAll(owned, wanted)) return true
  return wanted.every((resource) => {
    if (owned.includes(resource)) return true
    const slash = resource.indexOf('/')
    return slash >= 0 && owned.includes(`*${resource.slice(slash)}`)
  })
}

const coversUrl = (owned: Words, wanted: string): boolean =>
  owned.some(
    (url) => url === wanted || url === '*' || (url.endsWith('*') && wanted.startsWith(url.replace(/\*+$/, ''))),
  )

/** Puts the verbs of equal resources together again, as they are told to people. */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const merged = new Map<string, PolicyRule>()
  const others: PolicyRule[] = []
  for (const rule of rules) {
    const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
    const isSimple =
      apiGroups.length === 1 && resources.length === 1 && resourceNames.length <= 1 && nonResourceURLs.length === 0
    if (!isSimple) {
      others.push(rule)
      continue
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames])
    const known = merged.get(key)
    merged.set(key, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...rule.verbs] })
  }
  return [...others, ...merged.values()]
}

/** A rule in one line, as refusals tell it. */
export function ruleText(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const
  const told = parts.flatMap(([name, values]) =>
    words(values).length === 0 ? [] : `${name}:${listText(words(values))}`,
  )
  return `{${told.join(', ')}}`
}

/** A list of texts as Go prints it with %q. */
export const listText = (values: Words): string => `[${values.map((value) => JSON.stringify(value)).join(' ')}]`
