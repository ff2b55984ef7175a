// Faults of roles and bindings (pkg/apis/rbac/validation), and the defaults of what bindings name.

import { isEqual } from '#objects'
import { type FieldError, invalid, notSupported, required, twice } from '../field-error.ts'
import type { PolicyRule, RbacV1Subject, RoleRef } from '../generated/types.ts'
import { dnsSubdomain, pathSegment } from '../metadata/formats.ts'
import { withDefaults } from '../sharing.ts'

export const rbacGroup = 'rbac.authorization.k8s.io'

export function checkRules(
  rules: readonly PolicyRule[] | null | undefined,
  namespaced: boolean,
  errors: FieldError[],
): void {
  rules?.forEach((rule, i) => {
    const at = `rules[${i}]`
    const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
    if ((verbs ?? []).length === 0) errors.push(required(`${at}.verbs`, 'verbs must contain at least one value'))
    if (nonResourceURLs.length > 0) {
      if (namespaced)
        errors.push(
          invalid(`${at}.nonResourceURLs`, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'),
        )
      if (apiGroups.length + resources.length + resourceNames.length > 0)
        errors.push(
          invalid(
            `${at}.nonResourceURLs`,
            nonResourceURLs,
            'rules cannot apply to both regular resources and non-resource URLs',
          ),
        )
      return
    }
    if (apiGroups.length === 0)
      errors.push(required(`${at}.apiGroups`, 'resource rules must supply at least one api group'))
    if (resources.length === 0)
      errors.push(required(`${at}.resources`, 'resource rules must supply at least one resource'))
  })
}

interface Binding {
  readonly roleRef: RoleRef
  readonly subjects?: readonly RbacV1Subject[]
}

export function validateBinding({ roleRef, subjects = [] }: Binding, namespaced: boolean): readonly FieldError[] {
  const errors: FieldError[] = []
  const { apiGroup, kind, name } = roleRef ?? {}
  if (apiGroup !== rbacGroup) errors.push(notSupported('roleRef.apiGroup', apiGroup ?? '', [rbacGroup]))
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind ?? '', kinds))
  if (!name) errors.push(required('roleRef.name'))
  else for (const text of pathSegment(name)) errors.push(invalid('roleRef.name', name, text))
  subjects.forEach((subject, i) => {
    checkSubject(subject, namespaced, { path: `subjects[${i}]`, errors })
  })
  return errors
}

function checkSubject(
  subject: RbacV1Subject,
  namespaced: boolean,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  const { kind = '', name = '', apiGroup = '', namespace = '' } = subject
  if (name === '') errors.push(required(`${path}.name`))
  if (kind === 'ServiceAccount') {
    if (name !== '') for (const text of dnsSubdomain(name)) errors.push(invalid(`${path}.name`, name, text))
    if (apiGroup !== '') errors.push(notSupported(`${path}.apiGroup`, apiGroup, ['']))
    if (!namespaced && namespace === '') errors.push(required(`${path}.namespace`))
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== rbacGroup) errors.push(notSupported(`${path}.apiGroup`, apiGroup, [rbacGroup]))
  } else errors.push(notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group']))
}

export function validateBindingUpdate(binding: Binding, old: Binding, namespaced: boolean): readonly FieldError[] {
  const { apiGroup = '', kind = '', name = '' } = binding.roleRef ?? {}
  const errors = twice(validateBinding(binding, namespaced))
  return isEqual(binding.roleRef, old.roleRef)
    ? errors
    : [...errors, invalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef')]
}

export const roleRefDefaults = (reference: RoleRef): RoleRef =>
  withDefaults(reference, { apiGroup: reference.apiGroup || rbacGroup })

export function subjectDefaults(subject: RbacV1Subject): RbacV1Subject {
  const isPerson = subject.kind === 'User' || subject.kind === 'Group'
  return isPerson && !subject.apiGroup ? { ...subject, apiGroup: rbacGroup } : subject
}
