// Faults of what a pod asks of the scheduler: affinity, tolerations, spreading.

import type { LabelSelector } from '#objects'
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinityTerm,
  PodAntiAffinity,
  Toleration,
  TopologySpreadConstraint,
} from '../generated/types.ts'
import { dnsLabel, dnsSubdomain, labelValue, positiveText } from '../metadata/formats.ts'
import { checkLabelName } from '../metadata/validate.ts'
import { checkSelector } from '../selector/validate.ts'

export function checkAffinity(affinity: Affinity | undefined, path: string, errors: FieldError[]): void {
  if (affinity === undefined) return
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity
  if (nodeAffinity !== undefined) {
    const at = `${path}.nodeAffinity`
    const needed = nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution
    if (needed !== undefined) checkNodeSelector(needed, `${at}.requiredDuringSchedulingIgnoredDuringExecution`, errors)
    nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution?.forEach((term, i) => {
      const termPath = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`
      checkWeight(term.weight, `${termPath}.weight`, errors)
      // Values that are no labels are let pass here: such a preference just never applies.
      checkTerm(term.preference ?? {}, false, { path: `${termPath}.preference`, errors })
    })
  }
  if (podAffinity !== undefined) checkPodAffinity(podAffinity, `${path}.podAffinity`, errors)
  if (podAntiAffinity !== undefined) checkPodAffinity(podAntiAffinity, `${path}.podAntiAffinity`, errors)
}

function checkWeight(weight: number, path: string, errors: FieldError[]): void {
  if (!(weight > 0 && weight <= 100)) errors.push(invalid(path, weight ?? 0, 'must be in the range 1-100'))
}

export function checkNodeSelector(selector: NodeSelector, path: string, errors: FieldError[]): void {
  const terms = selector.nodeSelectorTerms ?? []
  if (terms.length === 0)
    errors.push(required(`${path}.nodeSelectorTerms`, 'must have at least one node selector term'))
  terms.forEach((term, i) => {
    checkTerm(term, true, { path: `${path}.nodeSelectorTerms[${i}]`, errors })
  })
}

function checkTerm(
  term: NodeSelectorTerm,
  strict: boolean,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  term.matchExpressions?.forEach((requirement, i) => {
    checkNodeRequirement(requirement, strict, { path: `${path}.matchExpressions[${i}]`, errors })
  })
  term.matchFields?.forEach((requirement, i) => {
    checkNodeField(requirement, `${path}.matchFields[${i}]`, errors)
  })
}

function checkNodeRequirement(
  requirement: NodeSelectorRequirement,
  strict: boolean,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  const { operator, values = [] } = requirement
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1)
      errors.push(required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"))
  } else errors.push(invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator'))
  checkLabelName(requirement.key ?? '', `${path}.key`, errors)
  if (!strict) return
  values.forEach((value, i) => {
    for (const text of labelValue(value)) errors.push(invalid(`${path}.values[${i}]`, value, text))
  })
}

function checkNodeField(requirement: NodeSelectorRequirement, path: string, errors: FieldError[]): void {
  const { key = '', operator, values = [] } = requirement
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator'))
  else if (values.length !== 1)
    errors.push(
      required(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    )
  if (key !== 'metadata.name') errors.push(invalid(`${path}.key`, key, 'not a valid field selector key'))
  else
    values.forEach((value, i) => {
      for (const text of dnsSubdomain(value)) errors.push(invalid(`${path}.values[${i}]`, value, text))
    })
}

function checkPodAffinity(affinity: PodAntiAffinity, path: string, errors: FieldError[]): void {
  affinity.requiredDuringSchedulingIgnoredDuringExecution?.forEach((term, i) => {
    checkPodTerm(term, `${path}.requiredDuringSchedulingIgnoredDuringExecution[${i}]`, errors)
  })
  affinity.preferredDuringSchedulingIgnoredDuringExecution?.forEach((weighted, i) => {
    const at = `${path}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`
    checkWeight(weighted.weight, `${at}.weight`, errors)
    checkPodTerm(weighted.podAffinityTerm, `${at}.podAffinityTerm`, errors)
  })
}

function checkPodTerm(term: PodAffinityTerm, path: string, errors: FieldError[]): void {
  checkSelector(term.labelSelector, `${path}.labelSelector`, errors)
  checkSelector(term.namespaceSelector, `${path}.namespaceSelector`, errors)
  for (const namespace of term.namespaces ?? [])
    for (const text of dnsLabel(namespace)) errors.push(invalid(`${path}.namespace`, namespace, text))
  checkMatchLabelKeys(term, path, errors)
  if (!term.topologyKey) errors.push(required(`${path}.topologyKey`, 'can not be empty'))
  checkLabelName(term.topologyKey ?? '', `${path}.topologyKey`, errors)
}

type KeyedTerm = Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>

/** When a Pod is stored, the API server itself adds one requirement a key: only a second one is the client's. */
function checkMatchLabelKeys(term: KeyedTerm, path: string, errors: FieldError[]): void {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term
  checkLabelKeys(matchLabelKeys, labelSelector, { path: `${path}.matchLabelKeys`, errors })
  checkLabelKeys(mismatchLabelKeys, labelSelector, { path: `${path}.mismatchLabelKeys`, errors })
  if (labelSelector !== undefined) {
    const seen = new Set(Object.keys(labelSelector.matchLabels ?? {}))
    for (const { key } of labelSelector.matchExpressions ?? []) {
      const index = matchLabelKeys.lastIndexOf(key)
      if (index >= 0 && seen.has(key))
        errors.push(invalid(`${path}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'))
      seen.add(key)
    }
  }
  matchLabelKeys.forEach((key, i) => {
    if (mismatchLabelKeys.includes(key))
      errors.push(invalid(`${path}.matchLabelKeys[${i}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'))
  })
}

const withoutSelectorText = 'must not be specified when labelSelector is not set'

function checkLabelKeys(
  keys: readonly string[],
  selector: LabelSelector | undefined,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  if (keys.length === 0) return
  if (selector === undefined) errors.push(forbidden(path, withoutSelectorText))
  else
    keys.forEach((key, i) => {
      checkLabelName(key, `${path}[${i}]`, errors)
    })
}

export const taintEffects: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

export function checkTolerations(tolerations: readonly Toleration[], path: string, errors: FieldError[]): void {
  tolerations.forEach((toleration, i) => {
    const at = `${path}[${i}]`
    const { key = '', operator = '', value = '', effect = '' } = toleration as Readonly<Record<string, string>>
    if (key !== '') checkLabelName(key, `${at}.key`, errors)
    if (key === '' && operator !== 'Exists')
      errors.push(
        invalid(
          `${at}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      )
    if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute')
      errors.push(invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
    if (operator === 'Equal' || operator === '') {
      const faults = labelValue(value)
      if (faults.length > 0) errors.push(invalid(`${at}.operator`, value, faults.join(';')))
    } else if (operator === 'Exists') {
      if (value !== '') errors.push(invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"))
    } else errors.push(notSupported(`${at}.operator`, operator, ['Equal', 'Exists']))
    if (effect !== '' && !taintEffects.includes(effect)) errors.push(notSupported(`${at}.effect`, effect, taintEffects))
  })
}

const spreadActions: readonly string[] = ['DoNotSchedule', 'ScheduleAnyway']
const inclusionPolicies: readonly string[] = ['Honor', 'Ignore']

export function checkSpread(
  constraints: readonly TopologySpreadConstraint[],
  path: string,
  errors: FieldError[],
): void {
  constraints.forEach((constraint, i) => {
    const at = `${path}[${i}]`
    const { maxSkew, topologyKey = '', minDomains } = constraint
    const action: string = constraint.whenUnsatisfiable ?? ''
    if (!(maxSkew > 0)) errors.push(invalid(`${at}.maxSkew`, maxSkew ?? 0, positiveText))
    if (topologyKey === '') errors.push(required(`${at}.topologyKey`, 'can not be empty'))
    if (!spreadActions.includes(action)) errors.push(notSupported(`${at}.whenUnsatisfiable`, action, spreadActions))
    const repeated = constraints
      .slice(i + 1)
      .some((other) => other.topologyKey === topologyKey && (other.whenUnsatisfiable ?? '') === action)
    if (repeated) errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${action}}`))
    if (minDomains !== undefined) {
      if (minDomains <= 0) errors.push(invalid(`${at}.minDomains`, minDomains, positiveText))
      if (action !== 'DoNotSchedule')
        errors.push(
          invalid(
            `${at}.minDomains`,
            minDomains,
            `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`,
          ),
        )
    }
    for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const policy = constraint[field]
      if (policy !== undefined && !inclusionPolicies.includes(policy))
        errors.push(notSupported(`${at}.${field}`, policy, inclusionPolicies))
    }
    checkMatchLabelKeys(constraint, at, errors)
    checkSelector(constraint.labelSelector, `${at}.labelSelector`, errors)
  })
}
