// Which requests a configured webhook or policy is about: by resource and operation, by the labels of the namespace and of
// the object, and by its match conditions. Pure but for the namespaces that it reads.

import { compileCel, Fault, type MatchCondition, type NamedRuleWithOperations, Namespace, toCel } from '#kinds'
import { type AnyObject, type Json, type LabelSelector, matchesLabels } from '#objects'
import type { AdmissionRequest, AdmissionState } from './plugin.ts'

export interface Selectors {
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
}

const includes = (list: readonly string[] | undefined, value: string): boolean =>
  list?.some((entry) => entry === '*' || entry === value) === true

function matchesResource(list: readonly string[] | undefined, resource: string, subresource: string): boolean {
  return (list ?? []).some((entry) => {
    const [main = '', sub = ''] = entry.split('/')
    if (main !== '*' && main !== resource) return false
    return sub === '*' ? true : sub === subresource
  })
}

function matchesScope(scope: string | undefined, isNamespaced: boolean): boolean {
  if (scope === undefined || scope === '*') return true
  return (scope === 'Namespaced') === isNamespaced
}

export const matchesRule = (rule: NamedRuleWithOperations, request: AdmissionRequest): boolean =>
  includes(rule.operations, request.operation) &&
  includes(rule.apiGroups, request.resource.group) &&
  includes(rule.apiVersions, request.resource.version) &&
  matchesResource(rule.resources, request.resource.resource, request.subresource) &&
  matchesScope(rule.scope, request.namespace !== '') &&
  ((rule.resourceNames?.length ?? 0) === 0 || rule.resourceNames?.includes(request.name) === true)

const isEmpty = (selector: LabelSelector | undefined): boolean =>
  selector === undefined ||
  (Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions?.length ?? 0) === 0)

function matchesNamespace({ namespaceSelector }: Selectors, request: AdmissionRequest, state: AdmissionState): boolean {
  if (isEmpty(namespaceSelector)) return true
  if (request.kind.kind === 'Namespace' && request.kind.group === '') {
    const object = request.object ?? request.old
    return matchesLabels(namespaceSelector, object?.metadata.labels)
  }
  if (request.namespace === '') return true
  return matchesLabels(namespaceSelector, state.get(Namespace, '', request.namespace)?.metadata.labels)
}

function matchesObject(
  { objectSelector }: Selectors,
  object: AnyObject | undefined,
  old: AnyObject | undefined,
): boolean {
  if (isEmpty(objectSelector)) return true
  return [object, old].some((one) => one !== undefined && matchesLabels(objectSelector, one.metadata.labels))
}

/** `object` is the object as it stands now, which webhooks may have changed. */
export function isSelected(
  selectors: Selectors,
  request: AdmissionRequest,
  object: AnyObject | undefined,
  state: AdmissionState,
): boolean {
  return matchesNamespace(selectors, request, state) && matchesObject(selectors, object, request.old)
}

/** Nobody can stand in the way of those who would mend what stands in the way. */
export const isExempt = ({ resource }: AdmissionRequest): boolean =>
  resource.group === 'admissionregistration.k8s.io' ||
  (resource.group === Fault.group && resource.resource === Fault.resource)

/** What expressions can say of a request. */
export const requestVariables = ['object', 'oldObject', 'request'] as const

export function requestValues(
  request: AdmissionRequest,
  object: AnyObject | undefined,
): Readonly<Record<string, unknown>> {
  const { kind, resource, subresource, name, namespace, operation, caller, dryRun } = request
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind }
  const gvr = { group: resource.group, version: resource.version, resource: resource.resource }
  return {
    object: toCel(object as unknown as Json | undefined),
    oldObject: toCel(request.old as unknown as Json | undefined),
    request: {
      kind: gvk,
      resource: gvr,
      subResource: subresource,
      requestKind: gvk,
      requestResource: gvr,
      requestSubResource: subresource,
      name,
      namespace,
      operation,
      userInfo: { username: caller.user, uid: '', groups: caller.groups, extra: {} },
      dryRun,
      options: {},
    },
  }
}

/** False when any condition is; throws an Error when one cannot be evaluated. */
export function conditionsHold(
  conditions: readonly MatchCondition[] | undefined,
  variables: readonly string[],
  values: () => Readonly<Record<string, unknown>>,
): boolean {
  return (conditions ?? []).every(({ expression }) => {
    const compiled = compileCel(expression, variables)
    if (!compiled.ok) throw new Error(compiled.message)
    return compiled.program.evaluate(values()) === true
  })
}
