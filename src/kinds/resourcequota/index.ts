// ResourceQuota (v1).

import { type FieldError, invalid, required } from '../field-error.ts'
import { ResourceQuota, type ResourceQuotaSpec } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import type { Column, KindRules } from '../kind.ts'
import { immutableText } from '../metadata/formats.ts'
import { amountText, checkAmount, checkQuotaResourceName, isStandardQuotaResource } from '../quantity/resources.ts'
import { roundResources } from '../quantity/round.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

const scopes: readonly string[] = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
]
const podResources: readonly string[] = [
  'pods',
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]
const claimResources: readonly string[] = ['persistentvolumeclaims', 'requests.storage']

/** An unknown scope is a fault of its own, and suits everything. */
const isScopeFor = (scope: string, resource: string): boolean => {
  if (!scopes.includes(scope)) return true
  if (scope === 'BestEffort') return resource === 'pods'
  return (scope === 'VolumeAttributesClass' ? claimResources : podResources).includes(resource)
}

const conflicts = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const

type Amounts = Readonly<Record<string, string | number>>

function checkHard(amounts: Amounts | undefined, path: string, errors: FieldError[]): void {
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    checkQuotaResourceName(name, `${path}[${name}]`, errors)
    checkAmount(name, amount, { path: `${path}[${name}]`, errors })
  }
}

function checkSpec(spec: ResourceQuotaSpec, errors: FieldError[]): void {
  checkHard(spec.hard, 'spec.hard', errors)
  const given: readonly string[] = spec.scopes ?? []
  const standard = Object.keys(spec.hard ?? {})
    .filter(isStandardQuotaResource)
    .sort()
  for (const scope of given) {
    if (!scopes.includes(scope)) errors.push(invalid('spec.scopes', given, 'unsupported scope'))
    for (const name of standard)
      if (!isScopeFor(scope, name)) errors.push(invalid('spec.scopes', given, 'unsupported scope applied to resource'))
  }
  for (const pair of conflicts)
    if (pair.every((scope) => given.includes(scope))) errors.push(invalid('spec.scopes', given, 'conflicting scopes'))
  checkSelector(spec, standard, errors)
}

const internalSelector = goStruct('MatchExpressions', { MatchExpressions: goStruct('ScopeName="" Operator="" Values') })
const existsOnly: readonly string[] = [
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
]

function checkSelector(spec: ResourceQuotaSpec, standard: readonly string[], errors: FieldError[]): void {
  const path = 'spec.scopeSelector.matchExpressions'
  const expressions = spec.scopeSelector?.matchExpressions ?? []
  for (const { scopeName, operator, values = [] } of expressions) {
    if (!scopes.includes(scopeName)) errors.push(invalid(`${path}.scopeName`, scopeName, 'unsupported scope'))
    for (const name of standard)
      if (!isScopeFor(scopeName, name))
        errors.push(
          invalid(
            path,
            asGoStruct(internalSelector, spec.scopeSelector ?? {}),
            'unsupported scope applied to resource',
          ),
        )
    if (existsOnly.includes(scopeName) && operator !== 'Exists')
      errors.push(
        invalid(
          `${path}.operator`,
          operator,
          "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
        ),
      )
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0)
        errors.push(
          required(
            `${path}.values`,
            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
          ),
        )
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0)
        errors.push(
          invalid(
            `${path}.values`,
            values,
            "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
          ),
        )
    } else errors.push(invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator'))
  }
  for (const pair of conflicts)
    if (pair.every((scope) => expressions.some(({ scopeName }) => scopeName === scope)))
      errors.push(invalid(path, spec.scopes ?? null, 'conflicting scopes'))
}

function validate({ spec = {} }: ResourceQuota): readonly FieldError[] {
  const errors: FieldError[] = []
  checkSpec(spec, errors)
  return errors
}

function validateUpdate(quota: ResourceQuota, old: ResourceQuota): readonly FieldError[] {
  const sorted = ({ spec }: ResourceQuota): string => [...new Set(spec?.scopes)].sort().join()
  const same = sorted(quota) === sorted(old)
  return [...validate(quota), ...(same ? [] : [invalid('spec.scopes', quota.spec?.scopes ?? null, immutableText)])]
}

function validateStatusUpdate({ status }: ResourceQuota): readonly FieldError[] {
  const errors: FieldError[] = []
  checkHard(status?.hard, 'status.hard', errors)
  checkHard(status?.used, 'status.used', errors)
  return errors
}

function amountsText({ status }: ResourceQuota, limits: boolean): string {
  return Object.keys(status?.hard ?? {})
    .sort()
    .filter((name) => name.startsWith('limits') === limits)
    .map((name) => `${name}: ${amountText(status?.used?.[name] ?? '0')}/${amountText(status?.hard?.[name] ?? '0')}`)
    .join(', ')
}

const columns: readonly Column<ResourceQuota>[] = [
  nameColumn,
  text('Request', 'Request represents a minimum amount of cpu/memory that a container may consume.', (quota) =>
    amountsText(quota, false),
  ),
  text(
    'Limit',
    'Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.',
    (quota) => amountsText(quota, true),
  ),
  ageColumn,
]

export const resourceQuotaRules: KindRules<ResourceQuota> = {
  kind: ResourceQuota,
  metaOnUpdate: 'mu',
  generation: 'none',
  allowCreateOnUpdate: false,
  defaults: (quota) =>
    withDefaults(quota, { spec: quota.spec && withDefaults(quota.spec, { hard: roundResources(quota.spec.hard) }) }),
  validate,
  validateUpdate,
  validateStatusUpdate,
  columns,
}
