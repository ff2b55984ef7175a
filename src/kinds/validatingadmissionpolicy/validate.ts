// Faults of ValidatingAdmissionPolicies (apis/admissionregistration/validation).

import { checkConditions } from '../admissionrule/conditions.ts'
import { type RequestNames, requestEnvironment, variableType } from '../admissionrule/environment.ts'
import { checkCompiles, checkExpression } from '../admissionrule/expression.ts'
import { checkMatch, failurePolicies } from '../admissionrule/match.ts'
import { boolType, type CelType, dynType, scalar, stringType } from '../cel/index.ts'
import { duplicate, type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { AuditAnnotation, ParamKind, ValidatingAdmissionPolicy, Validation, Variable } from '../generated/types.ts'
import { checkConditions as checkStatusConditions } from '../metadata/conditions.ts'
import { byteLength, dnsLabel1035, dnsSubdomain, qualifiedName } from '../metadata/formats.ts'

const nullType = scalar('null')
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
  const names: RequestNames = paramKind === undefined ? {} : { params: dynType }
  const conditions = spec.matchConditions ?? []
  checkConditions(conditions, { path: 'spec.matchConditions', environment: requestEnvironment(names), errors })
  const variables = checkVariables(spec.variables ?? [], { names, errors })
  const scope = { names: variables.size === 0 ? names : { ...names, variables }, errors }
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

interface Scope {
  readonly names: RequestNames
  readonly errors: FieldError[]
}

/** Each can use those before it. What types they have. */
function checkVariables(variables: readonly Variable[], { names, errors }: Scope): ReadonlyMap<string, CelType> {
  const types = new Map<string, CelType>()
  variables.forEach(({ name = '', expression = '' }, i) => {
    const path = `spec.variables[${i}]`
    if (name.trim() === '') errors.push(required(`${path}.name`, 'name is not specified'))
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || reserved.test(name))
      errors.push(invalid(`${path}.name`, name, 'must be a valid CEL identifier'))
    if (expression.trim() === '') errors.push(required(`${path}.expression`, 'expression is not specified'))
    else {
      const environment = requestEnvironment({ ...names, variables: types })
      types.set(name, variableType(checkCompiles(expression, { environment, errors, path: `${path}.expression` })))
    }
  })
  return types
}

function checkValidation(validation: Validation, path: string, scope: Scope): void {
  const { errors, names } = scope
  const { expression = '', message = '', messageExpression = '', reason } = validation
  const said = message.trim()
  if (expression.trim() === '') errors.push(required(`${path}.expression`, 'expression is not specified'))
  else
    checkExpression(expression, [boolType], {
      environment: requestEnvironment(names),
      errors,
      path: `${path}.expression`,
    })
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(invalid(`${path}.messageExpression`, messageExpression, 'must be non-empty if specified'))
  else if (messageExpression !== '')
    checkExpression(messageExpression, [stringType], {
      // A message asks for nobody's rights.
      environment: requestEnvironment({ ...names, hasAuthorizer: false }),
      errors,
      path: `${path}.messageExpression`,
    })
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
    else
      checkExpression(expression, [stringType, nullType], {
        environment: requestEnvironment(scope.names),
        errors,
        path: `${at}.valueExpression`,
      })
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
