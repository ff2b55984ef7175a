// ValidatingAdmissionPolicy: requests are judged by expressions that users write. A binding puts a policy into force, says
// where, with which parameters, and whether a fault refuses the request or only warns.
// Reads: ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, Namespace, parameters of any kind.

import { ApiError, type StatusReason } from '#api'
import {
  type Kind,
  type MatchResources,
  Namespace,
  type ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '#kinds'
import { type AnyObject, matchesLabels } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse, type Target } from '../plugin.ts'
import { isExempt, isSelected, namespaceOf, type Presented, presented, targetOf } from '../rules.ts'
import { evaluatePolicy, type PolicyFault } from './evaluate.ts'

const codes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
}

/** The version in which a policy or binding wants to see the request; undefined when it is not about it. */
function aboutWhat(
  match: MatchResources | undefined,
  request: AdmissionRequest,
  state: AdmissionState,
): Target | undefined {
  if (match === undefined) return request
  const { resourceRules, excludeResourceRules = [], matchPolicy } = match
  const { object } = request
  if (!isSelected(match, request, object, state)) return undefined
  if (targetOf({ rules: excludeResourceRules, matchPolicy }, request, state) !== undefined) return undefined
  return resourceRules === undefined || resourceRules.length === 0
    ? request
    : targetOf({ rules: resourceRules, matchPolicy }, request, state)
}

type Policy = ValidatingAdmissionPolicy
type Binding = ValidatingAdmissionPolicyBinding

/** What a policy has against a request; by a binding, unless the policy itself is at fault. */
interface Refusal {
  readonly who: string
  readonly fault: PolicyFault
}

/** What is noted for the audit of one request, by key: each value once. */
type Notes = Map<string, Set<string>>

/** All policies are asked, so that all can warn; then the first that refuses speaks. */
function validate(request: AdmissionRequest, state: AdmissionState): void | Promise<void> {
  if (state.count(ValidatingAdmissionPolicyBinding) === 0 || isExempt(request)) return
  const notes: Notes = new Map()
  const bindings = state.list(ValidatingAdmissionPolicyBinding)
  const refusals: (readonly Refusal[] | Promise<readonly Refusal[]>)[] = []
  for (const policy of state.list(ValidatingAdmissionPolicy)) {
    const own = bindings.filter(({ spec }) => spec?.policyName === policy.metadata.name)
    if (own.length === 0) continue
    const target = aboutWhat(policy.spec?.matchConstraints, request, state)
    if (target === undefined) continue
    const misfit = configurationFault(policy, state)
    if (misfit !== undefined) {
      refusals.push(misfit)
      continue
    }
    const matching = own.filter(({ spec }) => aboutWhat(spec?.matchResources, request, state) !== undefined)
    if (matching.length === 0) continue
    const judged = (shown: Presented): readonly Refusal[] =>
      matching.flatMap((binding) => judge({ policy, binding, shown, notes }, state))
    const shown = presented(request, target, request.object, state)
    refusals.push(shown instanceof Promise ? shown.then(judged) : judged(shown))
  }
  const end = (all: readonly (readonly Refusal[])[]): void => {
    for (const [key, values] of notes) request.annotate(key, [...values].join(', '))
    const [first] = all.flat()
    if (first !== undefined) throw denial(request, first)
  }
  if (!refusals.some((some) => some instanceof Promise)) return end(refusals as (readonly Refusal[])[])
  return Promise.all(refusals).then(end)
}

/** A policy whose parameters are of a kind that nobody knows is at fault, whatever its bindings say. */
function configurationFault(policy: Policy, state: AdmissionState): readonly Refusal[] | undefined {
  const { paramKind, failurePolicy } = policy.spec ?? {}
  if (paramKind === undefined) return undefined
  const { apiVersion = '', kind = '' } = paramKind
  if (state.kindOf(apiVersion, kind) !== undefined) return undefined
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
  const message = `failed to configure policy: failed to find resource referenced by paramKind: '${version}, Kind=${kind}'`
  const who = `ValidatingAdmissionPolicy '${policy.metadata.name}'`
  return failurePolicy === 'Ignore' ? [] : [{ who, fault: { message, reason: 'Invalid', index: 0 } }]
}

interface Case {
  readonly policy: Policy
  readonly binding: Binding
  readonly shown: Presented
  readonly notes: Notes
}

/** Longer notes are cut. */
const maxNoteLength = 10 * 1024

function judge(matter: Case, state: AdmissionState): readonly Refusal[] {
  const { policy, binding, shown, notes } = matter
  const { request } = shown
  const who = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`
  const found = paramsOf(policy, binding, request, state)
  if (typeof found === 'string') {
    const message = `failed to configure binding: ${found}`
    return policy.spec?.failurePolicy === 'Ignore' ? [] : [{ who, fault: { message, reason: 'Invalid', index: 0 } }]
  }
  const namespace = request.namespace === '' ? undefined : state.get(Namespace, '', request.namespace)
  return found.flatMap((params) => {
    const input = { policy, shown, params, namespace: namespace as unknown as AnyObject | undefined }
    const verdict = evaluatePolicy(input)
    for (const [key, value] of verdict.notes)
      note(notes, `${policy.metadata.name}/${key}`, value.slice(0, maxNoteLength))
    return [
      ...verdict.faults.flatMap((fault) => act({ who, fault }, matter)),
      ...verdict.failures.map((fault) => ({ who, fault })),
    ]
  })
}

const note = (notes: Notes, key: string, value: string): void =>
  void notes.set(key, (notes.get(key) ?? new Set()).add(value))

const failureKey = 'validation.policy.admission.k8s.io/validation_failure'

function act(refusal: Refusal, { policy, binding, shown: { request }, notes }: Case): readonly Refusal[] {
  const { who, fault } = refusal
  const actions = binding.spec?.validationActions ?? []
  if (actions.includes('Warn')) request.warn(`Validation failed for ${who}: ${fault.message}`)
  // What was noted first is not written over.
  if (actions.includes('Audit') && !notes.has(failureKey)) {
    const failure = {
      message: fault.message,
      policy: policy.metadata.name,
      binding: binding.metadata.name,
      expressionIndex: fault.index,
      validationActions: actions,
    }
    note(notes, failureKey, JSON.stringify([failure]))
  }
  return actions.includes('Deny') ? [refusal] : []
}

function denial(request: AdmissionRequest, { who, fault }: Refusal): ApiError {
  const why = `${who} denied request: ${fault.message}`
  const refused = refuse(request, why)
  return new ApiError({
    code: codes[fault.reason] ?? 422,
    reason: fault.reason as StatusReason,
    message: refused.message,
    details: { ...refused.details, causes: [{ message: why }] },
  })
}

/**
 * The objects that the policy is evaluated with, once each; `undefined` stands for a policy without parameters. A text
 * says why there are none.
 */
function paramsOf(
  policy: Policy,
  binding: Binding,
  request: AdmissionRequest,
  state: AdmissionState,
): readonly (AnyObject | undefined)[] | string {
  const { paramKind } = policy.spec ?? {}
  const { paramRef } = binding.spec ?? {}
  if (paramKind === undefined || paramRef === undefined) return [undefined]
  const kind = state.kindOf(paramKind.apiVersion ?? '', paramKind.kind ?? '')
  if (kind === undefined) return `paramKind kind \`${paramKind.apiVersion}, Kind=${paramKind.kind}\` not known`
  if (!kind.namespaced && (paramRef.namespace ?? '') !== '')
    return 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`'
  const namespace = kind.namespaced ? paramRef.namespace || namespaceOf(request) : ''
  if (kind.namespaced && namespace === '')
    return 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources'
  const found = selected(paramRef, kind, namespace, state)
  if (found.length > 0 || paramRef.parameterNotFoundAction !== 'Deny') return found
  return 'no params found for policy binding with `Deny` parameterNotFoundAction'
}

function selected(
  { name, selector }: ParamRef,
  kind: Kind,
  namespace: string,
  state: AdmissionState,
): readonly AnyObject[] {
  if (name !== undefined && name !== '') {
    const named = state.get(kind, namespace, name)
    return named === undefined ? [] : [named as unknown as AnyObject]
  }
  const listed = state.list(kind, kind.namespaced ? namespace : undefined)
  return listed.filter(({ metadata }) => matchesLabels(selector, metadata.labels)) as readonly unknown[] as AnyObject[]
}

export const validatingAdmissionPolicy: AdmissionPlugin = { name: 'ValidatingAdmissionPolicy', validate }
