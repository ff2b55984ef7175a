// Faults of StatefulSets (pkg/apis/apps/validation). What is stored may be older than a check, so an update does not repeat
// those of what cannot change, nor those of pods where the stored set fails.

import { isEqual } from '#objects'
import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type { PodTemplateSpec, StatefulSet, StatefulSetSpec } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import { dnsLabel } from '../metadata/formats.ts'
import { checkClaimSpec } from '../persistentvolumeclaim/spec.ts'
import { checkTemplate, checkTemplateMeta } from '../podspec/validate.ts'
import { printableSelector } from '../selector/validate.ts'
import { without } from '../sharing.ts'
import {
  checkNonNegative,
  checkOwnSelector,
  checkRestartAlways,
  checkSelectsTemplate,
  isUnusable,
} from '../workload/selector.ts'
import { checkCollisions, checkCounts, checkPartsOfReplicas } from '../workload/status.ts'
import { checkNoDeadline } from '../workload/template.ts'

export const validateStatefulSet = ({ spec }: StatefulSet): readonly FieldError[] => specFaults(spec, strict)

/** What an update lets be: what cannot change anyway, and the pods of a set that would not be taken today. */
interface Tolerance {
  readonly immutable: boolean
  readonly pods: boolean
}

const strict: Tolerance = { immutable: false, pods: false }

function specFaults(spec: StatefulSetSpec, tolerated: Tolerance): readonly FieldError[] {
  const errors: FieldError[] = []
  const policy: string = spec.podManagementPolicy ?? ''
  if (policy === '') errors.push(required('spec.podManagementPolicy'))
  else if (policy !== 'OrderedReady' && policy !== 'Parallel')
    errors.push(invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"))
  checkStrategy(spec, errors)
  checkRetention(spec, errors)
  if (!tolerated.immutable) checkClaims(spec, errors)
  checkNonNegative(spec.replicas, 'spec.replicas', errors)
  checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds', errors)
  checkNonNegative(spec.ordinals?.start, 'spec.ordinals.start', errors)
  if (spec.serviceName && !tolerated.immutable)
    for (const text of dnsLabel(spec.serviceName)) errors.push(invalid('spec.serviceName', spec.serviceName, text))
  checkSelectorAndTemplate(spec, tolerated, errors)
  return errors
}

function checkClaims({ volumeClaimTemplates }: StatefulSetSpec, errors: FieldError[]): void {
  volumeClaimTemplates?.forEach((claim, i) => {
    checkClaimSpec(claim.spec ?? {}, `spec.volumeClaimTemplates[${i}].spec`, errors)
  })
}

const internalStrategy = goStruct('Type="" RollingUpdate', { RollingUpdate: goStruct('Partition=0 MaxUnavailable') })

function checkStrategy(spec: StatefulSetSpec, errors: FieldError[]): void {
  const path = 'spec.updateStrategy'
  const { rollingUpdate } = spec.updateStrategy ?? {}
  const type: string = spec.updateStrategy?.type ?? ''
  if (type === '') errors.push(required(path))
  else if (type === 'OnDelete') {
    if (rollingUpdate !== undefined)
      errors.push(
        invalid(
          `${path}.rollingUpdate`,
          asGoStruct(goStruct('Partition=0 MaxUnavailable'), rollingUpdate),
          "only allowed for updateStrategy 'RollingUpdate'",
        ),
      )
  } else if (type === 'RollingUpdate')
    checkNonNegative(rollingUpdate?.partition, `${path}.rollingUpdate.partition`, errors)
  else
    errors.push(
      invalid(path, asGoStruct(internalStrategy, spec.updateStrategy ?? {}), "must be 'RollingUpdate' or 'OnDelete'"),
    )
}

function checkRetention(spec: StatefulSetSpec, errors: FieldError[]): void {
  const policy = spec.persistentVolumeClaimRetentionPolicy
  if (policy === undefined) return
  for (const field of ['whenDeleted', 'whenScaled'] as const) {
    const value = policy[field] ?? ''
    if (value !== 'Retain' && value !== 'Delete')
      errors.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, value, ['Retain', 'Delete']))
  }
}

/**
 * The template as pods will have it: with a volume for each claim, which takes the place of one of the same name. Names of
 * the host are the controller's.
 */
function podTemplate({ template = {}, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  if (template.spec === undefined) return template
  const spec = without(template.spec, 'hostname', 'subdomain')
  if (volumeClaimTemplates.length === 0) return spec === template.spec ? template : { ...template, spec }
  const names = [...new Set(volumeClaimTemplates.map(({ metadata }) => metadata.name ?? ''))]
  const volumes = [
    ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...(spec.volumes ?? []).filter(({ name }) => !names.includes(name)),
  ]
  return { ...template, spec: { ...spec, volumes } }
}

function checkSelectorAndTemplate(spec: StatefulSetSpec, tolerated: Tolerance, errors: FieldError[]): void {
  const { selector, template = {} } = spec
  checkOwnSelector(selector, { path: 'spec.selector', selectorOf: 'statefulset', errors })
  if (isUnusable(selector)) errors.push(invalid('spec.selector', printableSelector(selector)))
  else {
    checkSelectsTemplate(selector, template, { path: 'spec.template', errors })
    if (!tolerated.pods) checkTemplate(podTemplate(spec), 'spec.template', errors)
    checkTemplateMeta(template, 'spec.template', errors)
  }
  checkRestartAlways(template, 'spec.template', errors)
  checkNoDeadline(template, 'StatefulSet', errors)
}

const mutable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const

export function validateStatefulSetUpdate(set: StatefulSet, old: StatefulSet): readonly FieldError[] {
  const pods = specFaults(old.spec, { immutable: true, pods: false }).length > 0
  const errors = [...specFaults(set.spec, { immutable: true, pods })]
  const kept = Object.fromEntries(mutable.map((field) => [field, undefined]))
  if (!isEqual({ ...set.spec, ...kept }, { ...old.spec, ...kept }))
    errors.push(
      forbidden(
        'spec',
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ),
    )
  return errors
}

export function validateStatefulSetStatus({ status }: StatefulSet, old: StatefulSet): readonly FieldError[] {
  const errors: FieldError[] = []
  const counts = status ?? {}
  checkCounts(
    counts,
    [
      'replicas',
      'readyReplicas',
      'currentReplicas',
      'updatedReplicas',
      'availableReplicas',
      'observedGeneration',
      'collisionCount',
    ],
    errors,
  )
  checkPartsOfReplicas(counts, ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'], errors)
  const { availableReplicas = 0, readyReplicas = 0 } = status ?? {}
  if (availableReplicas > readyReplicas)
    errors.push(invalid('status.availableReplicas', availableReplicas, 'cannot be greater than status.readyReplicas'))
  checkCollisions(status, old.status, errors)
  return errors
}
