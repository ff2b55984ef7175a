// StorageClass (storage.k8s.io/v1).

import { isEqual } from '#objects'
import { duplicate, type FieldError, forbidden, invalid, notSupported, required, tooLong } from '../field-error.ts'
import { StorageClass, type TopologySelectorTerm } from '../generated/types.ts'
import type { Column, KindRules } from '../kind.ts'
import { byteLength, immutableText, qualifiedName } from '../metadata/formats.ts'
import { checkLabelName } from '../metadata/validate.ts'
import { labelWarning } from '../podspec/placement-warnings.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

const maxParameterBytes = 256 * 1024
const maxParameters = 512
const reclaimPolicies: readonly string[] = ['Delete', 'Retain']
const bindingModes: readonly string[] = ['Immediate', 'WaitForFirstConsumer']

export function checkProvisioner(name: string, path: string, errors: FieldError[]): void {
  if (name === '') errors.push(required(path))
  else for (const fault of qualifiedName(name.toLowerCase())) errors.push(invalid(path, name, fault))
}

export function checkParameters(
  parameters: Readonly<Record<string, string>>,
  path: string,
  errors: FieldError[],
): void {
  const keys = Object.keys(parameters)
  if (keys.length > maxParameters) {
    errors.push(tooLong(path, maxParameters))
    return
  }
  let bytes = 0
  for (const key of keys) {
    if (key === '') errors.push(invalid(path, key, 'field can not be empty.'))
    bytes += byteLength(key) + byteLength(parameters[key] ?? '')
  }
  if (bytes > maxParameterBytes) errors.push(tooLong(path, maxParameterBytes))
}

function validate(object: StorageClass): readonly FieldError[] {
  const errors: FieldError[] = []
  checkProvisioner(object.provisioner ?? '', 'provisioner', errors)
  checkParameters(object.parameters ?? {}, 'parameters', errors)
  const { reclaimPolicy: policy, volumeBindingMode: mode } = object
  if (policy && !reclaimPolicies.includes(policy)) errors.push(notSupported('reclaimPolicy', policy, reclaimPolicies))
  if (mode === undefined) errors.push(required('volumeBindingMode'))
  else if (!bindingModes.includes(mode)) errors.push(notSupported('volumeBindingMode', mode, bindingModes))
  checkTopologies(object.allowedTopologies ?? [], errors)
  return errors
}

function checkTopologies(terms: readonly TopologySelectorTerm[], errors: FieldError[]): void {
  terms.forEach((term, i) => {
    const keys = new Set<string>()
    term.matchLabelExpressions?.forEach(({ key, values: given }, j) => {
      const values = given ?? []
      const at = `allowedTopologies[${i}].matchLabelExpressions[${j}]`
      if (values.length === 0) errors.push(required(`${at}.values`))
      values.forEach((value, k) => {
        if (values.indexOf(value) < k) errors.push(duplicate(`${at}.values[${k}]`, value))
      })
      checkLabelName(key, `${at}.key`, errors)
      if (keys.has(key)) errors.push(duplicate(`${at}.key`, key))
      keys.add(key)
    })
    // Kubernetes compares each with the earlier ones and with as many empty ones as there are terms.
    const same = terms.slice(0, i).filter((other) => isEqual(asSets(other), asSets(term))).length
    const isEmpty = (term.matchLabelExpressions ?? []).length === 0
    for (let n = same + (isEmpty ? terms.length : 0); n > 0; n--)
      errors.push(duplicate(`allowedTopologies[${i}].matchLabelExpressions`, ''))
  })
}

const asSets = ({ matchLabelExpressions }: TopologySelectorTerm): object =>
  Object.fromEntries((matchLabelExpressions ?? []).map(({ key, values }) => [key, [...new Set(values ?? [])].sort()]))

const warnings = ({ allowedTopologies }: StorageClass): readonly string[] =>
  (allowedTopologies ?? []).flatMap(({ matchLabelExpressions }, i) =>
    (matchLabelExpressions ?? []).flatMap(({ key }, j) =>
      labelWarning(key, `allowedTopologies[${i}].matchLabelExpressions[${j}].key`),
    ),
  )

function validateUpdate(object: StorageClass, old: StorageClass): readonly FieldError[] {
  const errors = [...validate(object)]
  for (const field of ['parameters', 'provisioner', 'reclaimPolicy'] as const)
    if (!isEqual(object[field], old[field])) errors.push(forbidden(field, `updates to ${field} are forbidden.`))
  if (object.volumeBindingMode !== old.volumeBindingMode)
    errors.push(invalid('volumeBindingMode', object.volumeBindingMode ?? null, immutableText))
  return errors
}

const isDefault = ({ metadata }: StorageClass): boolean =>
  metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true' ||
  metadata.annotations?.['storageclass.beta.kubernetes.io/is-default-class'] === 'true'

/** What claims without a class get: of several defaults the newest, then the first by name. */
export function defaultStorageClass(classes: readonly StorageClass[]): StorageClass | undefined {
  return classes.filter(isDefault).sort(({ metadata: a }, { metadata: b }) => {
    const [x = '', y = ''] = [a.creationTimestamp, b.creationTimestamp]
    return x === y ? ((a.name ?? '') < (b.name ?? '') ? -1 : 1) : x > y ? -1 : 1
  })[0]
}

const nameCell = (object: StorageClass): string =>
  `${object.metadata.name ?? ''}${isDefault(object) ? ' (default)' : ''}`

const columns: readonly Column<StorageClass>[] = [
  { ...nameColumn, cell: nameCell },
  text('Provisioner', 'provisioner indicates the type of the provisioner.', ({ provisioner }) => provisioner),
  text(
    'ReclaimPolicy',
    'reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this storage class. Defaults to Delete.',
    ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete',
  ),
  text(
    'VolumeBindingMode',
    'volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound.  When unset, VolumeBindingImmediate is used. This field is only honored by servers that enable the VolumeScheduling feature.',
    ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate',
  ),
  {
    name: 'AllowVolumeExpansion',
    type: 'string',
    description: 'allowVolumeExpansion shows whether the storage class allow volume expand.',
    cell: ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
  },
  ageColumn,
]

export const storageClassRules: KindRules<StorageClass> = {
  kind: StorageClass,
  metaOnUpdate: 'mu',
  generation: 'none',
  defaults: (object) =>
    withDefaults(object, {
      reclaimPolicy: object.reclaimPolicy ?? 'Delete',
      volumeBindingMode: object.volumeBindingMode ?? 'Immediate',
    }),
  validate,
  validateUpdate,
  warnings,
  columns,
}
