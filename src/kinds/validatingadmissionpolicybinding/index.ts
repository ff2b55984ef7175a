// ValidatingAdmissionPolicyBinding (admissionregistration.k8s.io/v1).

import { checkMatch, matchDefaults } from '../admissionrule/match.ts'
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import { type ParamRef, ValidatingAdmissionPolicyBinding } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { dnsSubdomain, pathSegment } from '../metadata/formats.ts'
import { goText } from '../selector/format.ts'
import { checkSelector } from '../selector/validate.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

const actionNames = ['Audit', 'Deny', 'Warn']
const notFoundActions = ['Deny', 'Allow']

function validate({ spec = {} }: ValidatingAdmissionPolicyBinding): readonly FieldError[] {
  const errors: FieldError[] = []
  const { policyName = '', paramRef, matchResources, validationActions = [] } = spec
  if (policyName === '') errors.push(required('spec.policyName'))
  else for (const fault of dnsSubdomain(policyName)) errors.push(invalid('spec.policyName', policyName, fault))
  if (paramRef !== undefined) checkParamRef(paramRef, 'spec.paramRef', errors)
  if (matchResources !== undefined) checkMatch(matchResources, 'spec.matchResources', errors)
  checkActions(validationActions, 'spec.validationActions', errors)
  return errors
}

function checkParamRef(reference: ParamRef, path: string, errors: FieldError[]): void {
  const { name = '', selector, parameterNotFoundAction: action } = reference
  const exclusive = 'name and selector are mutually exclusive'
  if (name !== '') {
    for (const fault of pathSegment(name)) errors.push(invalid(`${path}.name`, name, fault))
    if (selector !== undefined) errors.push(forbidden(`${path}.name`, exclusive))
  }
  if (selector !== undefined) {
    checkSelector(selector, `${path}.selector`, errors)
    if (name !== '') errors.push(forbidden(`${path}.selector`, exclusive))
  }
  if (name === '' && selector === undefined) errors.push(required(path, 'one of name or selector must be specified'))
  if (!action) errors.push(required(`${path}.parameterNotFoundAction`))
  else if (!notFoundActions.includes(action))
    errors.push(notSupported(`${path}.parameterNotFoundAction`, action, notFoundActions))
}

function checkActions(actions: readonly string[], path: string, errors: FieldError[]): void {
  actions.forEach((action, i) => {
    if (!actionNames.includes(action)) errors.push(notSupported(`${path}[${i}]`, action, actionNames))
    if (actions.indexOf(action) < i) errors.push(duplicate(`${path}[${i}]`, action))
  })
  if (actions.includes('Deny') && actions.includes('Warn'))
    errors.push(
      invalid(
        path,
        actions,
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ),
    )
  if (actions.length === 0) errors.push(required(path, 'at least one validation action is required'))
}

function paramCell({ spec }: ValidatingAdmissionPolicyBinding): string {
  const { name, namespace, selector } = spec?.paramRef ?? {}
  if (spec?.paramRef === undefined) return '<unset>'
  if (name === undefined || name === '') return selector === undefined ? '<unset>' : goText(selector)
  return namespace ? `${namespace}/${name}` : `*/${name}`
}

export const validatingAdmissionPolicyBindingRules: KindRules<ValidatingAdmissionPolicyBinding> = {
  kind: ValidatingAdmissionPolicyBinding,
  allowUnconditionalUpdate: false,
  defaults: (binding) => {
    const { spec } = binding
    if (spec?.matchResources === undefined) return binding
    return withDefaults(binding, { spec: withDefaults(spec, { matchResources: matchDefaults(spec.matchResources) }) })
  },
  validate,
  columns: [
    nameColumn,
    text(
      'PolicyName',
      'PolicyName indicates the policy definition which the policy binding binded to',
      ({ spec }) => spec?.policyName ?? '',
    ),
    text('ParamRef', 'ParamRef indicates the param resource which sets the configration param', paramCell),
    ageColumn,
  ],
}
