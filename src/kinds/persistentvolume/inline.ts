// Faults of the spec of a volume that stands in another object (a VolumeAttachment): a volume of a CSI driver, of which
// nothing is said that binds it to claims or nodes.

import { type FieldError, forbidden, required } from '../field-error.ts'
import type { PersistentVolumeSpec } from '../generated/types.ts'
import { checkAccessModes } from '../persistentvolumeclaim/spec.ts'
import { checkSources } from './sources.ts'

const context = 'in the context of inline volumes'
const noPlace = `may not be specified ${context}`

export function checkInlineSpec(spec: PersistentVolumeSpec, path: string, errors: FieldError[]): void {
  const { accessModes = [], capacity = {}, persistentVolumeReclaimPolicy: policy, volumeMode } = spec
  const refuse = (field: string, isGiven: boolean, text = noPlace): void => {
    if (isGiven) errors.push(forbidden(`${path}.${field}`, text))
  }
  refuse('claimRef', spec.claimRef !== undefined)
  refuse('capacity', Object.keys(capacity).length > 0)
  if (spec.csi === undefined) errors.push(required(`${path}.csi`, `has to be specified ${context}`))
  if (accessModes.length === 0) errors.push(required(`${path}.accessModes`))
  checkAccessModes(accessModes, `${path}.accessModes`, errors)
  refuse('persistentVolumeReclaimPolicy', !!policy && policy !== 'Retain', `may only be Retain ${context}`)
  refuse('nodeAffinity', spec.nodeAffinity !== undefined)
  checkSources(spec, { path, errors, name: '', isBoundToNodes: false })
  refuse('storageClassName', !!spec.storageClassName)
  const isOtherMode = volumeMode !== undefined && volumeMode !== 'Filesystem'
  refuse('volumeMode', isOtherMode, `may not specify volumeMode other than Filesystem ${context}`)
}
