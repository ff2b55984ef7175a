// Faults of CustomResourceDefinitions (apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go).

import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type {
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
} from '../generated/types.ts'
import { dnsLabel1035, dnsSubdomain, immutableText } from '../metadata/formats.ts'
import { bundleFault } from '../webhook/ca-bundle.ts'
import { checkClient } from '../webhook/client.ts'
import { checkReviewVersions } from '../webhook/review-versions.ts'
import { hoist } from './hoisting.ts'
import { printedVersions } from './printed.ts'
import { checkSharedFields, checkVersion } from './version.ts'

export function validateDefinition(definition: CustomResourceDefinition): readonly FieldError[] {
  const { spec, metadata } = definition
  // Before it is established a bundle may be anything: others put in the one that holds.
  const faults = contentFaults(definition).filter(({ field }) => field !== bundlePath)
  return metadata.name === `${spec.names?.plural ?? ''}.${spec.group ?? ''}`
    ? faults
    : [invalid('metadata.name', metadata.name ?? '', 'must be spec.names.plural+"."+spec.group'), ...faults]
}

function contentFaults(definition: CustomResourceDefinition): readonly FieldError[] {
  const errors: FieldError[] = []
  const { spec, status = {} } = definition
  checkSpec(spec, errors)
  if (status.acceptedNames != null) checkNames(status.acceptedNames, 'status.acceptedNames', errors)
  checkStoredVersions(definition, status, errors)
  checkApproval(definition, errors)
  if (spec.preserveUnknownFields === true)
    errors.push(
      invalid(
        'spec.preserveUnknownFields',
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
    )
  return errors
}

type Status = NonNullable<CustomResourceDefinition['status']>

function checkStoredVersions({ spec }: CustomResourceDefinition, status: Status, errors: FieldError[]): void {
  const { storedVersions } = status
  const path = 'status.storedVersions'
  if ((storedVersions ?? []).length === 0) {
    errors.push(invalid(path, storedVersions ?? null, 'must have at least one stored version'))
    return
  }
  const stored = storedVersions ?? []
  const versions = spec.versions ?? []
  const left = new Set(stored)
  for (const { name, storage } of versions)
    if (!left.delete(name) && storage) errors.push(invalid(path, stored, `must have the storage version ${name}`))
  stored.forEach((name, i) => {
    if (left.has(name))
      errors.push(
        invalid(
          `${path}[${i}]`,
          name,
          `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
        ),
      )
  })
}

function checkSpec(spec: CustomResourceDefinitionSpec, errors: FieldError[]): void {
  const { group = '', scope = '' } = spec
  checkGroup(group, errors)
  const scopes = ['Cluster', 'Namespaced']
  if (scope === '') errors.push(required('spec.scope'))
  else if (!scopes.includes(scope)) errors.push(notSupported('spec.scope', scope, scopes))
  checkVersions(spec, errors)
  const { names = { kind: '', plural: '' } } = spec
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const)
    if (!names[field]) errors.push(required(`spec.names.${field}`))
  checkNames(names, 'spec.names', errors)
  checkSharedFields(hoist(spec.versions ?? []).top, { path: 'spec', schemaName: 'validation', errors })
  if (spec.conversion !== undefined) checkConversion(spec.conversion, errors)
}

function checkGroup(group: string, errors: FieldError[]): void {
  const faults = dnsSubdomain(group)
  if (group === '') errors.push(required('spec.group'))
  else if (faults.length > 0) errors.push(invalid('spec.group', group, faults.join(',')))
  else if (!group.includes('.')) errors.push(invalid('spec.group', group, 'should be a domain with at least one dot'))
}

function checkVersions(spec: CustomResourceDefinitionSpec, errors: FieldError[]): void {
  const given = spec.versions ?? []
  const { top, versions } = hoist(given)
  given.forEach(({ schema }, i) => {
    if (schema?.openAPIV3Schema === undefined) errors.push(required(`spec.versions[${i}].schema.openAPIV3Schema`))
  })
  versions.forEach((version, i) => {
    const path = `spec.versions[${i}]`
    const faults = dnsLabel1035(version.name ?? '')
    if (faults.length > 0) errors.push(invalid(`${path}.name`, version.name ?? '', faults.join(',')))
    checkVersion(version, top, { path, errors })
  })
  const printed = (): unknown => (spec.versions == null ? null : printedVersions(versions))
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalid('spec.versions', printed(), 'must contain unique version names'))
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(invalid('spec.versions', printed(), 'must have exactly one version marked as storage version'))
  const [first] = versions
  const faults = first === undefined || !first.name ? [] : dnsLabel1035(first.name)
  if (faults.length > 0) errors.push(invalid('spec.version', first?.name, faults.join(',')))
}

function checkNames(names: CustomResourceDefinitionNames, path: string, errors: FieldError[]): void {
  const label = (field: string, value: string | undefined): void => {
    const faults = value ? dnsLabel1035(value) : []
    if (faults.length > 0) errors.push(invalid(`${path}.${field}`, value, faults.join(',')))
  }
  const mixedCase = (field: string, value: string | undefined): void => {
    const faults = value ? dnsLabel1035(value.toLowerCase()) : []
    const text = `may have mixed case, but should otherwise match: ${faults.join(',')}`
    if (faults.length > 0) errors.push(invalid(`${path}.${field}`, value, text))
  }
  label('plural', names.plural)
  label('singular', names.singular)
  mixedCase('kind', names.kind)
  mixedCase('listKind', names.listKind)
  names.shortNames?.forEach((name, i) => {
    const faults = dnsLabel1035(name)
    if (faults.length > 0) errors.push(invalid(`${path}.shortNames[${i}]`, name, faults.join(',')))
  })
  if (names.kind && names.kind === names.listKind)
    errors.push(invalid(`${path}.listKind`, names.listKind, 'kind and listKind may not be the same'))
  names.categories?.forEach((name, i) => {
    const faults = dnsLabel1035(name)
    if (faults.length > 0) errors.push(invalid(`${path}.categories[${i}]`, name, faults.join(',')))
  })
}

const bundlePath = 'spec.conversion.webhookClientConfig.caBundle'

function checkConversion({ strategy = '', webhook }: CustomResourceConversion, errors: FieldError[]): void {
  const path = 'spec.conversion'
  const strategies = ['None', 'Webhook']
  if (strategy === '') errors.push(required(`${path}.strategy`))
  else if (!strategies.includes(strategy)) errors.push(notSupported(`${path}.strategy`, strategy, strategies))
  const at = `${path}.webhookClientConfig`
  const { clientConfig, conversionReviewVersions = [] } = webhook ?? {}
  if (strategy === 'Webhook') {
    if (clientConfig === undefined) errors.push(required(at, 'required when strategy is set to Webhook'))
    else {
      checkClient(clientConfig, at, errors)
      const { caBundle = '' } = clientConfig
      const fault = caBundle === '' ? undefined : bundleFault(caBundle)
      if (fault !== undefined) errors.push(invalid(bundlePath, caBundle, fault))
    }
    checkReviewVersions(conversionReviewVersions ?? [], '', { path: `${path}.conversionReviewVersions`, errors })
    return
  }
  const text = 'should not be set when strategy is not set to Webhook'
  if (clientConfig !== undefined) errors.push(forbidden(at, text))
  if ((conversionReviewVersions ?? []).length > 0) errors.push(forbidden(`${path}.conversionReviewVersions`, text))
}

const approvalKey = 'api-approved.kubernetes.io'

/** Kinds in groups of the Kubernetes community name the review that approved them. */
function checkApproval({ spec, metadata }: CustomResourceDefinition, errors: FieldError[]): void {
  const group = `.${spec.group ?? ''}`
  if (!group.endsWith('.k8s.io') && !group.endsWith('.kubernetes.io')) return
  const approval = metadata.annotations?.[approvalKey] ?? ''
  const path = `metadata.annotations[${approvalKey}]`
  const text = `protected groups must have approval annotation "${approvalKey}"`
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111'
  if (approval === '') errors.push(required(path, `${text}, ${see}`))
  else if (!approval.startsWith('unapproved') && !/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]/.test(approval))
    errors.push(invalid(path, approval, `${text} with either a URL or a reason starting with "unapproved", ${see}`))
}

/** Once objects may exist, their kind and scope stay; group and plural are part of the name. */
export function validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): readonly FieldError[] {
  const [{ spec }, { spec: before }] = [definition, old]
  const established = old.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')
  const oldBundle = before.conversion?.webhook?.clientConfig?.caBundle ?? ''
  const mayBeWrong = established !== true || (oldBundle !== '' && bundleFault(oldBundle) !== undefined)
  const errors = contentFaults(definition).filter(({ field }) => field !== bundlePath || !mayBeWrong)
  const fixed = (path: string, value: string, oldValue: string): void => {
    if (value !== oldValue) errors.push(invalid(path, value, immutableText))
  }
  if (established === true) {
    fixed('spec.scope', spec.scope, before.scope)
    fixed('spec.names.kind', spec.names.kind, before.names.kind)
  }
  fixed('spec.group', spec.group, before.group)
  fixed('spec.names.plural', spec.names.plural, before.names.plural)
  return errors
}

export function validateDefinitionStatus(definition: CustomResourceDefinition): readonly FieldError[] {
  const errors: FieldError[] = []
  const names = definition.status?.acceptedNames
  if (names != null) checkNames(names, 'status.acceptedNames', errors)
  return errors
}
