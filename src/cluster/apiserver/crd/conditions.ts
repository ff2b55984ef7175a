// Whether the names of a definition are free, and what its status says of that. Pure
// (apiextensions-apiserver/pkg/controller/status/naming_controller.go).

import { bundleFault } from '#kinds'
import type { AnyObject } from '#objects'
import { type DefinitionCondition, type DefinitionStatus, type Names, specOf, statusOf } from './spec.ts'

/** The status that the definition should have; the very one that it has when nothing is to be changed. */
export function decideStatus(definition: AnyObject, others: readonly AnyObject[], now: string): DefinitionStatus {
  const status = statusOf(definition)
  const { names, refusal } = acceptNames(definition, others)
  const accepted: DefinitionCondition =
    refusal === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...refusal }
  const wasEstablished = status.conditions?.find(({ type }) => type === 'Established')?.status === 'True'
  const established: DefinitionCondition | undefined = wasEstablished
    ? undefined
    : { type: 'Established', ...(refusal === undefined ? establishment(definition) : notAccepted) }
  const wanted = [accepted, ...(established === undefined ? [] : [established]), ...approval(definition)]
  const conditions = wanted.reduce((list, condition) => withCondition(list, condition, now), status.conditions ?? [])
  const { acceptedNames } = status
  const sameNames = JSON.stringify(acceptedNames ?? {}) === JSON.stringify(names)
  if (conditions === status.conditions && sameNames) return status
  return { ...status, conditions, acceptedNames: sameNames ? (acceptedNames ?? {}) : names }
}

const notAccepted: Omit<DefinitionCondition, 'type'> = {
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
}

/** Of a definition whose names are free: who converts must be trusted. */
function establishment(definition: AnyObject): Omit<DefinitionCondition, 'type'> {
  const { caBundle = '' } = specOf(definition).conversion?.webhook?.clientConfig ?? {}
  return caBundle !== '' && bundleFault(caBundle) !== undefined
    ? { status: 'False', reason: 'InvalidCABundle', message: 'The conversion webhook CABundle is invalid' }
    : { status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
}

const approvalKey = 'api-approved.kubernetes.io'

/** Of groups of the Kubernetes community: whether the annotation names the review that approved the kind. */
function approval({ spec, metadata }: AnyObject): readonly DefinitionCondition[] {
  const { group } = spec as { readonly group: string }
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return []
  const type = 'KubernetesAPIApprovalPolicyConformant'
  const said = metadata.annotations?.[approvalKey] ?? ''
  const must = `protected groups must have approval annotation "${approvalKey}"`
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111'
  if (said === '') return [{ type, status: 'False', reason: 'MissingAnnotation', message: `${must}, ${see}` }]
  if (said.startsWith('unapproved'))
    return [{ type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${JSON.stringify(said)}` }]
  if (URL.canParse(said))
    return [{ type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${said}` }]
  const message = `${must} with either a URL or a reason starting with "unapproved", ${see}`
  return [{ type, status: 'False', reason: 'InvalidAnnotation', message }]
}

export function withCondition(
  conditions: readonly DefinitionCondition[],
  condition: DefinitionCondition,
  now: string,
): readonly DefinitionCondition[] {
  const old = conditions.find(({ type }) => type === condition.type)
  if (old === undefined) return [...conditions, { ...condition, lastTransitionTime: now }]
  const same = old.status === condition.status && old.reason === condition.reason && old.message === condition.message
  if (same) return conditions
  const lastTransitionTime = old.status === condition.status ? (old.lastTransitionTime ?? now) : now
  return conditions.map((one) => (one === old ? { ...condition, lastTransitionTime } : one))
}

interface Accepted {
  readonly names: Partial<Names>
  readonly refusal: { readonly reason: string; readonly message: string } | undefined
}

type Name = string | undefined
type Used = ReadonlySet<Name>

function acceptNames(definition: AnyObject, others: readonly AnyObject[]): Accepted {
  const { group, names } = specOf(definition)
  const before = statusOf(definition).acceptedNames ?? {}
  const taken = others
    .filter((other) => specOf(other).group === group && other.metadata.name !== definition.metadata.name)
    .map((other) => statusOf(other).acceptedNames ?? {})
  const resources = new Set(
    taken.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...(shortNames ?? [])]),
  )
  const kinds = new Set(taken.flatMap(({ kind, listKind }) => [kind, listKind]))
  let refusal: Accepted['refusal']
  /** Of several conflicts the last is told. */
  const free = (value: Name, had: Name, used: Used, reason: string): boolean => {
    const why = conflictOf(value, had, used)
    if (why !== undefined) refusal = { reason, message: why }
    return why === undefined
  }
  const plural = free(names.plural, before.plural, resources, 'PluralConflict') ? names.plural : before.plural
  const singular = free(names.singular, before.singular, resources, 'SingularConflict')
    ? names.singular
    : before.singular
  const conflicts = (names.shortNames ?? [])
    .filter((name) => before.shortNames?.includes(name) !== true)
    .flatMap((name) => conflictOf(name, undefined, resources) ?? [])
  const shortNames = conflicts.length === 0 ? names.shortNames : before.shortNames
  const [first] = conflicts
  if (first !== undefined)
    refusal = { reason: 'ShortNamesConflict', message: conflicts.length === 1 ? first : `[${conflicts.join(', ')}]` }
  const kind = free(names.kind, before.kind, kinds, 'KindConflict') ? names.kind : before.kind
  const listKind = free(names.listKind, before.listKind, kinds, 'ListKindConflict') ? names.listKind : before.listKind
  const accepted = { plural, singular, shortNames, kind, listKind, categories: names.categories }
  const present = Object.fromEntries(Object.entries(accepted).filter(([, value]) => value !== undefined))
  return { names: present as Partial<Names>, refusal }
}

/** Why a name cannot be had; one that the definition has already is its own. */
function conflictOf(value: Name, had: Name, used: Used): string | undefined {
  if (value === undefined || value === '' || value === had || !used.has(value)) return undefined
  return `${JSON.stringify(value)} is already in use`
}
