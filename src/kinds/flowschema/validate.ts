// Faults of FlowSchemas (apis/flowcontrol/validation).

import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type {
  FlowcontrolV1Subject,
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  ServiceAccountSubject,
} from '../generated/types.ts'
import { dnsLabel, dnsSubdomain } from '../metadata/formats.ts'
import { checkNonResourceUrl } from './non-resource-url.ts'

const maxPrecedence = 10_000
const methods = ['ByNamespace', 'ByUser']
const subjectKinds = ['Group', 'ServiceAccount', 'User']
const verbNames = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']

export function validateFlowSchema({ metadata, spec }: FlowSchema): readonly FieldError[] {
  const errors: FieldError[] = []
  const { matchingPrecedence: precedence = 0, distinguisherMethod: method, priorityLevelConfiguration, rules } = spec
  const path = 'spec.matchingPrecedence'
  if (precedence <= 0) errors.push(invalid(path, precedence, 'must be a positive value'))
  if (precedence > maxPrecedence) errors.push(invalid(path, precedence, `must not be greater than ${maxPrecedence}`))
  if (precedence === 1 && metadata.name !== 'exempt')
    errors.push(invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"))
  if (method !== undefined && !methods.includes(method.type))
    errors.push(notSupported('spec.distinguisherMethod.type', { Type: method.type }, methods))
  const level = priorityLevelConfiguration?.name ?? ''
  if (level === '') errors.push(required('spec.priorityLevelConfiguration.name', 'must reference a priority level'))
  else
    for (const fault of dnsSubdomain(level)) errors.push(invalid('spec.priorityLevelConfiguration.name', level, fault))
  rules?.forEach((rule, i) => {
    checkRules(rule, `spec.rules[${i}]`, errors)
  })
  return errors
}

function checkRules(rule: PolicyRulesWithSubjects, path: string, errors: FieldError[]): void {
  const { subjects, resourceRules = [], nonResourceRules = [] } = rule
  if ((subjects ?? []).length === 0)
    errors.push(required(`${path}.subjects`, 'subjects must contain at least one value'))
  subjects?.forEach((subject, i) => {
    checkSubject(subject, `${path}.subjects[${i}]`, errors)
  })
  if (resourceRules.length === 0 && nonResourceRules.length === 0)
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'))
  resourceRules.forEach((one, i) => {
    checkResourceRule(one, { path: `${path}.resourceRules[${i}]`, errors })
  })
  nonResourceRules.forEach((one, i) => {
    checkNonResourceRule(one, { path: `${path}.nonResourceRules[${i}]`, errors })
  })
}

const fieldOfKind = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const

function checkSubject(subject: FlowcontrolV1Subject, path: string, errors: FieldError[]): void {
  if (!subjectKinds.includes(subject.kind)) {
    errors.push(notSupported(`${path}.kind`, subject.kind, subjectKinds))
    return
  }
  const own = fieldOfKind[subject.kind as keyof typeof fieldOfKind]
  const at = `${path}.${own}`
  const account = subject[own]
  if (account === undefined) errors.push(required(at, `${own} is required when subject kind is '${subject.kind}'`))
  else if (!account.name) errors.push(required(`${at}.name`))
  if (subject.serviceAccount !== undefined && own === 'serviceAccount')
    checkServiceAccount(subject.serviceAccount, at, errors)
  for (const [kind, field] of Object.entries(fieldOfKind))
    if (field !== own && subject[field] !== undefined)
      errors.push(forbidden(`${path}.${field}`, `${field} is forbidden when subject kind is not '${kind}'`))
}

function checkServiceAccount({ name, namespace }: ServiceAccountSubject, path: string, errors: FieldError[]): void {
  if (name && name !== '*') for (const fault of dnsSubdomain(name)) errors.push(invalid(`${path}.name`, name, fault))
  if (!namespace) errors.push(required(`${path}.namespace`, 'must specify namespace for service account'))
  else for (const fault of dnsLabel(namespace)) errors.push(invalid(`${path}.namespace`, namespace, fault))
}

interface Place {
  readonly path: string
  readonly errors: FieldError[]
}

function checkVerbs(verbs: readonly string[], { path, errors }: Place): void {
  const at = `${path}.verbs`
  if (verbs.length === 0) errors.push(required(at, 'verbs must contain at least one value'))
  else if (verbs.includes('*')) {
    if (verbs.length > 1) errors.push(invalid(at, verbs, "if '*' is present, must not specify other verbs"))
  } else if (!verbs.every((verb) => verbNames.includes(verb))) errors.push(notSupported(at, verbs, verbNames))
}

function checkNonResourceRule({ verbs, nonResourceURLs }: NonResourcePolicyRule, place: Place): void {
  const { path, errors } = place
  checkVerbs(verbs ?? [], place)
  const at = `${path}.nonResourceURLs`
  const urls = nonResourceURLs ?? []
  if (urls.length === 0) errors.push(required(at, 'nonResourceURLs must contain at least one value'))
  else if (urls.includes('*')) {
    if (urls.length > 1) errors.push(invalid(at, urls, "if '*' is present, must not specify other non-resource URLs"))
  } else
    urls.forEach((url, i) => {
      checkNonResourceUrl(url, `${at}[${i}]`, errors)
    })
}

function checkResourceRule(rule: ResourcePolicyRule, place: Place): void {
  const { path, errors } = place
  checkVerbs(rule.verbs ?? [], place)
  const some = (field: 'apiGroups' | 'resources', none: string, others: string): void => {
    const values = rule[field] ?? []
    if (values.length === 0) errors.push(required(`${path}.${field}`, none))
    else if (values.length > 1 && values.includes('*'))
      errors.push(invalid(`${path}.${field}`, values, `if '*' is present, must not specify other ${others}`))
  }
  some('apiGroups', 'resource rules must supply at least one api group', 'api groups')
  some('resources', 'resource rules must supply at least one resource', 'resources')
  const { clusterScope } = rule
  // An absent list is null in an object that has been decoded.
  const namespaces = rule.namespaces ?? []
  const at = `${path}.namespaces`
  if (namespaces.length === 0 && clusterScope !== true)
    errors.push(required(at, 'resource rules that are not cluster scoped must supply at least one namespace'))
  else if (namespaces.includes('*')) {
    if (namespaces.length > 1)
      errors.push(invalid(at, namespaces, "if '*' is present, must not specify other namespaces"))
  } else
    namespaces.forEach((namespace, i) => {
      for (const fault of dnsLabel(namespace))
        errors.push(
          invalid(`${at}[${i}]`, namespace, `each member of this list must be '*' or a DNS-1123 label; ${fault}`),
        )
    })
}

interface WithConditions {
  readonly status?: { readonly conditions?: readonly { readonly type?: string }[] }
}

/** Of priority levels too. */
export function validateFlowSchemaStatus({ status }: WithConditions): readonly FieldError[] {
  const errors: FieldError[] = []
  const conditions = status?.conditions ?? []
  conditions.forEach(({ type }, i) => {
    const at = `status.conditions[${i}].type`
    if (conditions.findIndex((other) => other.type === type) < i) errors.push(duplicate(at, type ?? ''))
    if (!type) errors.push(required(at))
  })
  return errors
}
