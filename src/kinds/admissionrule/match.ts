// The resources that a policy or its binding matches.

import { type FieldError, notSupported, required } from '../field-error.ts'
import type { MatchResources } from '../generated/types.ts'
import { checkSelector } from '../selector/validate.ts'
import { withDefaults } from '../sharing.ts'
import { checkNamedRule, ruleDefaults } from './operations.ts'

export const failurePolicies: readonly string[] = ['Fail', 'Ignore']
export const matchPolicies: readonly string[] = ['Equivalent', 'Exact']

export const matchDefaults = (match: MatchResources): MatchResources =>
  withDefaults(match, {
    matchPolicy: match.matchPolicy ?? 'Equivalent',
    namespaceSelector: match.namespaceSelector ?? {},
    objectSelector: match.objectSelector ?? {},
    resourceRules: match.resourceRules && ruleDefaults(match.resourceRules),
    excludeResourceRules: match.excludeResourceRules && ruleDefaults(match.excludeResourceRules),
  })

export function checkMatch(match: MatchResources, path: string, errors: FieldError[]): void {
  const { matchPolicy } = match
  if (matchPolicy === undefined) errors.push(required(`${path}.matchPolicy`))
  else if (!matchPolicies.includes(matchPolicy))
    errors.push(notSupported(`${path}.matchPolicy`, matchPolicy, matchPolicies))
  for (const field of ['namespaceSelector', 'objectSelector'] as const) {
    if (match[field] === undefined) errors.push(required(`${path}.${field}`))
    else checkSelector(match[field], `${path}.${field}`, errors)
  }
  for (const field of ['resourceRules', 'excludeResourceRules'] as const)
    match[field]?.forEach((rule, i) => {
      checkNamedRule(rule, `${path}.${field}[${i}]`, errors)
    })
}
