// Which requests a webhook or a policy speaks to: operations on resources of API groups
// (apis/admissionregistration/validation).

import { duplicate, type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { NamedRuleWithOperations, RuleWithOperations } from '../generated/types.ts'
import { pathSegment } from '../metadata/formats.ts'
import { mapShared, withDefaults } from '../sharing.ts'

const operationNames = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const scopes = ['*', 'Cluster', 'Namespaced']

export const ruleDefaults = <T extends RuleWithOperations>(rules: readonly T[]): readonly T[] =>
  mapShared(rules, (rule) => withDefaults<T>(rule, { scope: rule.scope ?? '*' } as Partial<T>))

export function checkNamedRule(rule: NamedRuleWithOperations, path: string, errors: FieldError[]): void {
  const names = rule.resourceNames ?? []
  names.forEach((name, i) => {
    const at = `${path}.resourceNames[${i}]`
    for (const fault of pathSegment(name)) errors.push(invalid(at, name, fault))
    if (names.indexOf(name) < i) errors.push(duplicate(at, name))
  })
  checkRule(rule, path, errors)
}

export function checkRule(rule: RuleWithOperations, path: string, errors: FieldError[]): void {
  const operations = rule.operations ?? []
  checkWildcard(operations, 'operations', { path: `${path}.operations`, errors })
  operations.forEach((operation, i) => {
    if (!operationNames.includes(operation))
      errors.push(notSupported(`${path}.operations[${i}]`, operation, operationNames))
  })
  checkWildcard(rule.apiGroups ?? [], 'API groups', { path: `${path}.apiGroups`, errors })
  const versions = rule.apiVersions ?? []
  checkWildcard(versions, 'API versions', { path: `${path}.apiVersions`, errors })
  versions.forEach((version, i) => {
    if (version === '') errors.push(required(`${path}.apiVersions[${i}]`))
  })
  checkResources(rule.resources ?? [], `${path}.resources`, errors)
  if (rule.scope !== undefined && !scopes.includes(rule.scope))
    errors.push(notSupported(`${path}.scope`, rule.scope, scopes))
}

interface Place {
  readonly path: string
  readonly errors: FieldError[]
}

function checkWildcard(values: readonly string[], what: string, { path, errors }: Place): void {
  if (values.length === 0) errors.push(required(path))
  if (values.length > 1 && values.includes('*'))
    errors.push(invalid(path, values, `if '*' is present, must not specify other ${what}`))
}

/** Nothing may be listed that a wildcard before it has named already. */
function checkResources(resources: readonly string[], path: string, errors: FieldError[]): void {
  if (resources.length === 0) errors.push(required(path))
  const wildSubresources = new Set<string>()
  const wildResources = new Set<string>()
  let lastPlain: string | undefined
  resources.forEach((entry, i) => {
    const at = `${path}[${i}]`
    const slash = entry.indexOf('/')
    if (entry === '') errors.push(required(at))
    else if (slash < 0) lastPlain = entry
    else {
      const [resource, sub] = [entry.slice(0, slash), entry.slice(slash + 1)]
      if (wildSubresources.has(resource))
        errors.push(invalid(at, entry, `if '${resource}/*' is present, must not specify ${entry}`))
      if (wildResources.has(sub)) errors.push(invalid(at, entry, `if '*/${sub}' is present, must not specify ${entry}`))
      if (sub === '*') wildSubresources.add(resource)
      if (resource === '*') wildResources.add(sub)
    }
  })
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"))
  // Of those without subresources Kubernetes looks at the last one.
  if (resources.includes('*') && lastPlain !== '*')
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"))
}
