// Which requests a configured webhook or policy is about: by resource and operation, by the labels of the namespace and of
// the object, and by its match conditions. Pure but for the namespaces that it reads.

import { type ApiError, type Caller, internalError } from '#api'
import {
  CelAuthorizer,
  CelBudget,
  compileCel,
  dynamic,
  environmentOf,
  Fault,
  type MatchCondition,
  type NamedRuleWithOperations,
  Namespace,
  plainToCel,
  withAuthorizer,
} from '#kinds'
import { type AnyObject, type Json, type LabelSelector, matchesLabels } from '#objects'
import type { AdmissionRequest, AdmissionState, Target } from './plugin.ts'

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

const matchesRule = (rule: NamedRuleWithOperations, request: AdmissionRequest, { resource }: Target): boolean =>
  includes(rule.operations, request.operation) &&
  includes(rule.apiGroups, resource.group) &&
  includes(rule.apiVersions, resource.version) &&
  matchesResource(rule.resources, resource.resource, request.subresource) &&
  matchesScope(rule.scope, request.namespace !== '') &&
  ((rule.resourceNames?.length ?? 0) === 0 || rule.resourceNames?.includes(request.name) === true)

export interface Rules {
  readonly rules: readonly NamedRuleWithOperations[]
  readonly matchPolicy: string | undefined
}

/**
 * The version in which the rules want to see the request: its own, or with matchPolicy Equivalent another one that the
 * resource is served in. Undefined when they are not about it.
 */
export function targetOf(
  { rules, matchPolicy }: Rules,
  request: AdmissionRequest,
  state: AdmissionState,
): Target | undefined {
  if (rules.some((rule) => matchesRule(rule, request, request))) return request
  if (matchPolicy === 'Exact' || rules.length === 0) return undefined
  const others = state.equivalents(request)
  for (const rule of rules) {
    const found = others.find((other) => matchesRule(rule, request, other))
    if (found !== undefined) return found
  }
  return undefined
}

const isEmpty = (selector: LabelSelector | undefined): boolean =>
  selector === undefined ||
  (Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions?.length ?? 0) === 0)

function matchesNamespace({ namespaceSelector }: Selectors, request: AdmissionRequest, state: AdmissionState): boolean {
  if (isEmpty(namespaceSelector)) return true
  if (request.resource.resource === 'namespaces' && request.resource.group === '') {
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

/** The namespace of a request; a Namespace counts as its own. */
export const namespaceOf = ({ resource, namespace, name }: AdmissionRequest): string =>
  resource.resource === 'namespaces' && resource.group === '' ? name : namespace

export const groupVersionKind = ({ kind: { group, version, kind } }: Target): object => ({ group, version, kind })

export const groupVersionResource = ({ resource: { group, version, resource } }: Target): object => ({
  group,
  version,
  resource,
})

/** A request as a webhook or policy sees it: in the version that it asks for. */
export interface Presented {
  readonly request: AdmissionRequest
  readonly target: Target
  readonly object: AnyObject | undefined
  readonly old: AnyObject | undefined
  readonly decide: AdmissionState['decide']
}

/** A promise only where a webhook has to convert. */
export function presented(
  request: AdmissionRequest,
  target: Target,
  object: AnyObject | undefined,
  state: AdmissionState,
): Presented | Promise<Presented> {
  const shown = (one: AnyObject | undefined): AnyObject | undefined | Promise<AnyObject> =>
    one === undefined ? undefined : state.present(one, target, request)
  const made = { request, target, decide: state.decide }
  const [now, before] = [shown(object), shown(request.old)]
  if (!(now instanceof Promise) && !(before instanceof Promise)) return { ...made, object: now, old: before }
  return Promise.all([now, before]).then(
    ([object, old]) => ({ ...made, object, old }),
    (error) => {
      throw notConverted(error)
    },
  )
}

const notConverted = (error: unknown): ApiError => internalError(error instanceof Error ? error.message : String(error))

/** What expressions can say of a request. They were checked when they were written. */
export const requestEnvironment = environmentOf(
  { ...dynamic('object', 'oldObject', 'request', 'params', 'namespaceObject', 'variables'), ...withAuthorizer },
  { isStored: true },
)

/** By this expressions ask what the one who makes the request, or a service account, may do. */
function authorizerOf({ request, decide }: Presented): CelAuthorizer {
  const { resource, subresource, name } = request
  const requested = {
    group: resource.group,
    resource: resource.resource,
    subresource,
    namespace: namespaceOf(request),
    name,
  }
  return new CelAuthorizer(
    ({ serviceAccount: account, ...query }) =>
      decide({ ...query, caller: account === undefined ? request.caller : callerOf(account.namespace, account.name) }),
    requested,
  )
}

const callerOf = (namespace: string, name: string): Pick<Caller, 'user' | 'groups'> => ({
  user: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
})

export function requestValues(shown: Presented): Readonly<Record<string, unknown>> {
  const { request, target, object, old } = shown
  const { subresource, name, operation, caller, dryRun, options } = request
  const authorizer = authorizerOf(shown)
  return {
    authorizer,
    'authorizer.requestResource': authorizer.requestResource,
    object: plainToCel(object as unknown as Json | undefined),
    oldObject: plainToCel(old as unknown as Json | undefined),
    namespaceObject: null,
    request: {
      kind: groupVersionKind(target),
      resource: groupVersionResource(target),
      subResource: subresource,
      requestKind: groupVersionKind(request),
      requestResource: groupVersionResource(request),
      requestSubResource: subresource,
      name,
      namespace: namespaceOf(request),
      operation,
      userInfo: { username: caller.user, uid: caller.uid ?? '', groups: caller.groups, extra: caller.extra ?? {} },
      dryRun,
      options: plainToCel(options as unknown as Json),
    },
  }
}

export const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run'

/** As Kubernetes' RuntimeCELCostBudgetMatchConditions. */
const conditionsBudget = 2_500_000

/**
 * False when any condition is, whatever becomes of the others; else throws an Error when one cannot be evaluated.
 * `values` are made only if there is a condition.
 */
export function conditionsHold(
  conditions: readonly MatchCondition[] | undefined,
  values: () => Readonly<Record<string, unknown>>,
): boolean {
  if (conditions === undefined || conditions.length === 0) return true
  const known = values()
  const budget = new CelBudget(conditionsBudget)
  const faults: string[] = []
  for (const { expression } of conditions) {
    const compiled = compileCel(expression, requestEnvironment)
    if (!compiled.ok) {
      faults.push(`compilation error: compilation failed: ${compiled.faults}`)
      continue
    }
    try {
      const holds = compiled.program.evaluate(known, budget) === true
      if (budget.isSpent) throw new Error(outOfBudget)
      if (!holds) return false
    } catch (error) {
      if (budget.isSpent) throw new Error(outOfBudget)
      const why = error instanceof Error ? error.message : String(error)
      faults.push(`expression '${expression}' resulted in error: ${why}`)
    }
  }
  if (faults.length > 0) throw new Error(faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`)
  return true
}
