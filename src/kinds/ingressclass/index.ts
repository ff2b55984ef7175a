// IngressClass (networking.k8s.io/v1).

import { type FieldError, forbidden, invalid, notSupported, required, tooLong } from '../field-error.ts'
import { IngressClass } from '../generated/types.ts'
import { checkReference } from '../ingress/validate.ts'
import type { KindRules } from '../kind.ts'
import { checkDomainPath } from '../metadata/domain-path.ts'
import { dnsLabel, immutableText } from '../metadata/formats.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

const maxControllerLength = 250

function validate({ spec = {} }: IngressClass): readonly FieldError[] {
  const errors: FieldError[] = []
  const { controller = '', parameters } = spec
  if (controller.length > maxControllerLength) errors.push(tooLong('spec.controller', maxControllerLength))
  checkDomainPath(controller, 'spec.controller', errors)
  if (parameters === undefined) return errors
  const path = 'spec.parameters'
  checkReference(parameters, path, errors)
  const { scope, namespace } = parameters
  if (scope === undefined) errors.push(required(`${path}.scope`))
  else if (scope !== 'Cluster' && scope !== 'Namespace')
    errors.push(notSupported(`${path}.scope`, scope, ['Cluster', 'Namespace']))
  else if (scope === 'Namespace') {
    if (namespace === undefined) errors.push(required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'"))
    else for (const fault of dnsLabel(namespace)) errors.push(invalid(`${path}.namespace`, namespace, fault))
  } else if (namespace !== undefined)
    errors.push(forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'"))
  return errors
}

function parametersText({ spec }: IngressClass): string {
  const parameters = spec?.parameters
  if (parameters === undefined) return '<none>'
  const { apiGroup, kind, name } = parameters
  return `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`
}

export const ingressClassRules: KindRules<IngressClass> = {
  kind: IngressClass,
  metaOnUpdate: 'um',
  defaults: (object) => {
    const parameters = object.spec?.parameters
    // Null is what an absent scope is in an object that has been decoded.
    const scope = parameters?.scope ?? undefined
    if (object.spec === undefined || parameters === undefined || scope !== undefined) return object
    return withDefaults(object, { spec: { ...object.spec, parameters: { ...parameters, scope: 'Cluster' } } })
  },
  validate,
  validateUpdate: (object, old) => [
    ...(object.spec?.controller === old.spec?.controller
      ? []
      : [invalid('spec.controller', object.spec?.controller ?? '', immutableText)]),
    ...validate(object),
  ],
  columns: [
    nameColumn,
    text('Controller', 'Controller that is responsible for handling this class', ({ spec }) => spec?.controller ?? ''),
    text('Parameters', 'A reference to a resource with additional parameters', parametersText),
    ageColumn,
  ],
}
