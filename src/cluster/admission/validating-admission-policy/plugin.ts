// ValidatingAdmissionPolicy: requests are judged by expressions that users write. A binding puts a policy into force, says
// where, with which parameters, and whether a fault refuses the request or only warns.
// Reads: ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, Namespace, parameters of any kind.

import { ApiError, type StatusReason } from '#api'
import { type MatchResources, Namespace, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '#kinds'
import { type AnyObject, matchesLabels } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'
import { isExempt, isSelected, matchesRule } from '../rules.ts'
import { evaluatePolicy, type PolicyFault } from './evaluate.ts'

const codes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
}

function isAbout(match: MatchResources | undefined, request: AdmissionRequest, state: AdmissionState): boolean {
  if (match === undefined) return true
  const { resourceRules, excludeResourceRules = [] } = match
  if (resourceRules !== undefined && !resourceRules.some((rule) => matchesRule(rule, request))) return false
  if (excludeResourceRules.some((rule) => matchesRule(rule, request))) return false
  return isSelected(match, request, request.object, state)
}

function validate(request: AdmissionRequest, state: AdmissionState): void {
  if (state.count(ValidatingAdmissionPolicyBinding) === 0 || isExempt(request)) return
  for (const binding of state.list(ValidatingAdmissionPolicyBinding)) {
    const policy = state.get(ValidatingAdmissionPolicy, '', binding.spec?.policyName ?? '')
    if (policy === undefined || !isAbout(policy.spec?.matchConstraints, request, state)) continue
    if (!isAbout(binding.spec?.matchResources, request, state)) continue
    judge(policy, binding, request, state)
  }
}

function judge(
  policy: ValidatingAdmissionPolicy,
  binding: ValidatingAdmissionPolicyBinding,
  request: AdmissionRequest,
  state: AdmissionState,
): void {
  const namespace = request.namespace === '' ? undefined : state.get(Namespace, '', request.namespace)
  for (const params of paramsOf(policy, binding, request, state)) {
    const faults = evaluatePolicy({ policy, request, params, namespace: namespace as unknown as AnyObject | undefined })
    for (const fault of faults) act(policy, binding, request, fault)
  }
}

function act(
  policy: ValidatingAdmissionPolicy,
  binding: ValidatingAdmissionPolicyBinding,
  request: AdmissionRequest,
  fault: PolicyFault,
): void {
  const actions = binding.spec?.validationActions ?? []
  const who = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`
  if (actions.includes('Deny')) throw denial(request, `${who} denied request: ${fault.message}`, fault)
  if (actions.includes('Warn')) request.warn(`Validation failed for ${who}: ${fault.message}`)
}

function denial(request: AdmissionRequest, why: string, { message, reason }: PolicyFault): ApiError {
  const refused = refuse(request, why)
  const code = codes[reason] ?? 422
  return new ApiError({
    code,
    reason: reason as StatusReason,
    message: refused.message,
    details: { ...refused.details, causes: [{ message }] },
  })
}

/** The objects that the policy is evaluated with, once each; `undefined` stands for a policy without parameters. */
function paramsOf(
  policy: ValidatingAdmissionPolicy,
  binding: ValidatingAdmissionPolicyBinding,
  request: AdmissionRequest,
  state: AdmissionState,
): readonly (AnyObject | undefined)[] {
  const { paramKind } = policy.spec ?? {}
  const { paramRef } = binding.spec ?? {}
  if (paramKind === undefined || paramRef === undefined) return [undefined]
  const kind = state.kindOf(paramKind.apiVersion ?? '', paramKind.kind ?? '')
  if (kind === undefined)
    throw refuse(
      request,
      `failed to find resource referenced by paramKind: '${paramKind.apiVersion}, Kind=${paramKind.kind}'`,
    )
  const namespace = kind.namespaced ? (paramRef.namespace ?? request.namespace) : ''
  const named = paramRef.name === undefined ? undefined : state.get(kind, namespace, paramRef.name)
  const found =
    paramRef.name !== undefined
      ? named === undefined
        ? []
        : [named]
      : state
          .list(kind, kind.namespaced ? namespace : undefined)
          .filter(({ metadata }) => matchesLabels(paramRef.selector, metadata.labels))
  if (found.length > 0) return found as readonly unknown[] as readonly AnyObject[]
  if (paramRef.parameterNotFoundAction === 'Allow') return []
  throw refuse(
    request,
    'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
  )
}

export const validatingAdmissionPolicy: AdmissionPlugin = { name: 'ValidatingAdmissionPolicy', validate }
