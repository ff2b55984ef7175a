// Faults of ValidatingAdmissionPolicies (apis/admissionregistration/validation).

import { checkConditions } from '../admissionrule/conditions.ts'
import { checkCompiles, checkExpression, type ExpressionPlace, withParams } from '../admissionrule/expression.ts'
import { checkMatch, failurePolicies } from '../admissionrule/match.ts'
import { duplicate, type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { AuditAnnotation, ParamKind, ValidatingAdmissionPolicy, Validation, Variable } from '../generated/types.ts'
import { checkConditions as checkStatusConditions } from '../metadata/conditions.ts'
import { byteLength, dnsLabel1035, dnsSubdomain, qualifiedName } from '../metadata/formats.ts'

const maxAnnotations = 20
const maxExpressionLength = 5 * 1024
const reasons: readonly string[] = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const reserved =
  /^(true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$/
const hasLineBreak = (text: string): boolean => /[\r\n]/.test(text)

export function validatePolicy({ metadata, spec = {} }: ValidatingAdmissionPolicy): readonly FieldError[] {
  const errors: FieldError[] = []
  const { failurePolicy, paramKind, matchConstraints, validations = [], auditAnnotations = [] } = spec
  if (failurePolicy === undefined) errors.push(required('spec.failurePolicy'))
  else if (!failurePolicies.includes(failurePolicy))
    errors.push(notSupported('spec.failurePolicy', failurePolicy, failurePolicies))
  if (paramKind !== undefined) checkParamKind(paramKind, 'spec.paramKind', errors)
  if (matchConstraints === undefined) errors.push(required('spec.matchConstraints'))
  else {
    checkMatch(matchConstraints, 'spec.matchConstraints', errors)
    if ((matchConstraints.resourceRules ?? []).length === 0)
      errors.push(required('spec.matchConstraints.resourceRules'))
  }
  const names = withParams(paramKind !== undefined)
  checkConditions(spec.matchConditions ?? [], { path: 'spec.matchConditions', variables: names, errors })
  const variables = spec.variables ?? []
  const scope = { variables: variables.length > 0 ? [...names, 'variables'] : names, errors }
  checkVariables(variables, scope)
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const text = 'validations or auditAnnotations must contain at least one item'
    errors.push(required('spec.validations', text), required('spec.auditAnnotations', text))
    return errors
  }
  validations.forEach((validation, i) => {
    checkValidation(validation, `spec.validations[${i}]`, scope)
  })
  checkAnnotations(auditAnnotations, metadata.name ?? '', scope)
  return errors
}

function checkParamKind({ apiVersion = '', kind = '' }: ParamKind, path: string, errors: FieldError[]): void {
  const at = `${path}.apiVersion`
  const parts = apiVersion.split('/')
  if (apiVersion === '') errors.push(required(at))
  else if (parts.length > 2) errors.push(invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`))
  else {
    const [group, version] = parts.length === 2 ? parts : ['', apiVersion]
    const groupFaults = group ? dnsSubdomain(group) : []
    if (groupFaults.length > 0) errors.push(invalid(at, group, groupFaults.join(',')))
    const versionFaults = version ? dnsLabel1035(version) : []
    if (!version) errors.push(invalid(at, apiVersion, 'version must be specified'))
    else if (versionFaults.length > 0) errors.push(invalid(at, version, versionFaults.join(',')))
  }
  const faults = dnsLabel1035(kind.toLowerCase())
  if (kind === '') errors.push(required(`${path}.kind`))
  else if (faults.length > 0)
    errors.push(invalid(`${path}.kind`, kind, `may have mixed case, but should otherwise match: ${faults.join(',')}`))
}

type Scope = Pick<ExpressionPlace, 'variables' | 'errors'>

function checkVariables(variables: readonly Variable[], scope: Scope): void {
  const { errors } = scope
  variables.forEach(({ name = '', expression = '' }, i) => {
    const path = `spec.variables[${i}]`
    if (name.trim() === '') errors.push(required(`${path}.name`, 'name is not specified'))
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || reserved.test(name))
      errors.push(invalid(`${path}.name`, name, 'must be a valid CEL identifier'))
    if (expression.trim() === '') errors.push(required(`${path}.expression`, 'expression is not specified'))
    else checkCompiles(expression, { ...scope, path: `${path}.expression` })
  })
}

/** A message asks for nobody's rights. */
const inMessage = ({ variables, errors }: Scope): Scope => ({
  variables: variables.filter((name) => name !== 'authorizer'),
  errors,
})

function checkValidation(validation: Validation, path: string, scope: Scope): void {
  const { errors } = scope
  const { expression = '', message = '', messageExpression = '', reason } = validation
  const said = message.trim()
  if (expression.trim() === '') errors.push(required(`${path}.expression`, 'expression is not specified'))
  else checkExpression(expression, ['bool'], { ...scope, path: `${path}.expression` })
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(invalid(`${path}.messageExpression`, messageExpression, 'must be non-empty if specified'))
  else if (messageExpression !== '')
    checkExpression(messageExpression, ['string'], { ...inMessage(scope), path: `${path}.messageExpression` })
  if (message !== '' && said === '') errors.push(invalid(`${path}.message`, message, 'must be non-empty if specified'))
  else if (hasLineBreak(said)) errors.push(invalid(`${path}.message`, message, 'must not contain line breaks'))
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, reasons))
}

function checkAnnotations(annotations: readonly AuditAnnotation[], policy: string, scope: Scope): void {
  const { errors } = scope
  const path = 'spec.auditAnnotations'
  if (annotations.length > maxAnnotations)
    errors.push(invalid(path, annotations, `must not have more than ${maxAnnotations} auditAnnotations`))
  const keys = new Set<string>()
  annotations.forEach(({ key = '', valueExpression = '' }, i) => {
    const at = `${path}[${i}]`
    for (const fault of qualifiedName(`${policy}/${key}`)) errors.push(invalid(`${at}.key`, `${policy}/${key}`, fault))
    const expression = valueExpression.trim()
    if (expression === '') errors.push(required(`${at}.valueExpression`, 'valueExpression is not specified'))
    else if (byteLength(expression) > maxExpressionLength)
      errors.push(required(`${at}.valueExpression`, `must not exceed ${maxExpressionLength} bytes in length`))
    else checkExpression(expression, ['string', 'null_type'], { ...scope, path: `${at}.valueExpression` })
    if (keys.has(key)) errors.push(duplicate(`${at}.key`, key))
    keys.add(key)
  })
}

export function validatePolicyStatus({ status }: ValidatingAdmissionPolicy): readonly FieldError[] {
  const errors: FieldError[] = []
  status?.typeChecking?.expressionWarnings?.forEach(({ warning, fieldRef = '' }, i) => {
    const path = `status.typeChecking.expressionWarnings[${i}]`
    if (!warning) errors.push(required(`${path}.warning`))
    if (fieldRef.trim() === '') errors.push(required(`${path}.fieldRef`))
  })
  checkStatusConditions(status?.conditions ?? [], 'status.conditions', errors)
  return errors
}
