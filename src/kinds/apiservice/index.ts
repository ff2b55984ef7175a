// APIService (apiregistration.k8s.io/v1). Only local ones are served here; others can be written and read.

import { base64Bytes } from '../configmap/data-size.ts'
import { type FieldError, invalid, notSupported, quote, required } from '../field-error.ts'
import { APIService } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { dnsLabel1035, dnsSubdomain, portNumber } from '../metadata/formats.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'
import { defaultServicePort } from '../webhook/client.ts'

const [maxGroupPriority, maxVersionPriority] = [20_000, 1000]
const conditionStatuses = ['True', 'False', 'Unknown']

function validate({ metadata, spec }: APIService): readonly FieldError[] {
  const errors: FieldError[] = []
  const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0 } = spec ?? {}
  const name = `${version}.${group}`
  if (metadata.name !== name)
    errors.push(
      invalid('metadata.name', metadata.name ?? '', `must be \`spec.version+"."+spec.group\`: ${quote(name)}`),
    )
  if (group === '' && version !== 'v1')
    errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'))
  if (group !== '') for (const fault of dnsSubdomain(group)) errors.push(invalid('spec.group', group, fault))
  for (const fault of dnsLabel1035(version)) errors.push(invalid('spec.version', version, fault))
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > maxGroupPriority)
    errors.push(invalid('spec.groupPriorityMinimum', groupPriorityMinimum, 'must be positive and less than 20000'))
  if (versionPriority <= 0 || versionPriority > maxVersionPriority)
    errors.push(invalid('spec.versionPriority', versionPriority, 'must be positive and less than 1000'))
  checkService(spec ?? {}, errors)
  return errors
}

type Spec = Partial<NonNullable<APIService['spec']>>

function checkService({ service, caBundle = '', insecureSkipTLSVerify }: Spec, errors: FieldError[]): void {
  const insecure = 'spec.insecureSkipTLSVerify'
  if (service === undefined) {
    if (caBundle !== '')
      errors.push(
        invalid('spec.caBundle', `${base64Bytes(caBundle)} bytes`, 'local APIServices may not have a caBundle'),
      )
    if (insecureSkipTLSVerify === true)
      errors.push(invalid(insecure, true, 'local APIServices may not have insecureSkipTLSVerify'))
    return
  }
  if (!service.namespace) errors.push(required('spec.service.namespace'))
  if (!service.name) errors.push(required('spec.service.name'))
  const faults = portNumber(service.port ?? 0)
  if (faults.length > 0)
    errors.push(invalid('spec.service.port', service.port ?? 0, `port is not valid: ${faults.join(', ')}`))
  if (insecureSkipTLSVerify === true && caBundle !== '')
    errors.push(invalid(insecure, true, 'may not be true if caBundle is present'))
}

function validateStatus({ status }: APIService): readonly FieldError[] {
  return (status?.conditions ?? []).flatMap((condition, i) =>
    conditionStatuses.includes(condition.status)
      ? []
      : [notSupported(`status.conditions[${i}].status`, condition.status, conditionStatuses)],
  )
}

function availableCell({ status }: APIService): string {
  const condition = status?.conditions?.find(({ type }) => type === 'Available')
  if (condition === undefined) return 'Unknown'
  return condition.status !== 'True' && condition.reason
    ? `${condition.status} (${condition.reason})`
    : condition.status
}

/** Local ones are there at once. */
function withAvailability(service: APIService): APIService {
  if (service.spec?.service !== undefined) return { ...service, status: {} }
  const reason = 'Local APIServices are always available'
  const lastTransitionTime = service.metadata.creationTimestamp
  return {
    ...service,
    status: {
      conditions: [
        {
          type: 'Available',
          status: 'True',
          reason: 'Local',
          message: reason,
          ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
        },
      ],
    },
  }
}

export const apiServiceRules: KindRules<APIService> = {
  kind: APIService,
  metaOnUpdate: 'um',
  generation: 'none',
  nameRule: 'path',
  allowUnconditionalUpdate: false,
  defaults: (service) => {
    const { spec } = service
    if (spec?.service === undefined) return service
    return withDefaults(service, {
      spec: withDefaults(spec, {
        service: withDefaults(spec.service, { port: spec.service.port ?? defaultServicePort }),
      }),
    })
  },
  prepareForCreate: withAvailability,
  validate,
  validateStatusUpdate: validateStatus,
  columns: [
    nameColumn,
    text('Service', 'The reference to the service that hosts this API endpoint.', ({ spec }) =>
      spec?.service === undefined ? 'Local' : `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}`,
    ),
    text('Available', 'Whether this service is available.', availableCell),
    ageColumn,
  ],
}
