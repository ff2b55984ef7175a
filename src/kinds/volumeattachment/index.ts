// VolumeAttachment (storage.k8s.io/v1).

import { isEqual } from '#objects'
import { checkDriverName } from '../csidriver/index.ts'
import { type FieldError, forbidden, invalid, required, tooLong, twice } from '../field-error.ts'
import { VolumeAttachment, type VolumeAttachmentSource, type VolumeAttachmentStatus } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import type { KindRules } from '../kind.ts'
import { byteLength, dnsSubdomain, immutableText } from '../metadata/formats.ts'
import { checkInlineSpec } from '../persistentvolume/inline.ts'
import { withDefaults, without } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

const internalSpec = goStruct('Attacher="" Source NodeName=""', {
  Source: goStruct('PersistentVolumeName InlineVolumeSpec'),
})
const maxMetadataBytes = 256 * 1024
const maxMessageBytes = 1024

function validate(attachment: VolumeAttachment): readonly FieldError[] {
  const errors: FieldError[] = []
  checkSpec(attachment, errors)
  const { attacher = '', source = {} } = attachment.spec
  checkDriverName(attacher, 'spec.attacher', errors)
  const { persistentVolumeName: volume } = source
  if (volume !== undefined)
    for (const fault of dnsSubdomain(volume)) errors.push(invalid('spec.source.persistentVolumeName', volume, fault))
  return errors
}

function checkSpec({ spec, status }: VolumeAttachment, errors: FieldError[]): void {
  const { attacher, source, nodeName = '' } = spec
  if (!attacher) errors.push(required('spec.attacher'))
  checkSource(source ?? {}, 'spec.source', errors)
  for (const fault of dnsSubdomain(nodeName)) errors.push(invalid('spec.nodeName', nodeName, fault))
  if (status !== undefined) checkStatus(status, errors)
}

function checkSource(source: VolumeAttachmentSource, path: string, errors: FieldError[]): void {
  const { inlineVolumeSpec, persistentVolumeName } = source
  const text = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) errors.push(required(path, text))
  else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) errors.push(forbidden(path, text))
  else if (persistentVolumeName === '')
    errors.push(required(`${path}.persistentVolumeName`, 'must specify non empty persistentVolumeName'))
  else if (inlineVolumeSpec !== undefined) checkInlineSpec(inlineVolumeSpec, `${path}.inlineVolumeSpec`, errors)
}

function checkStatus(status: VolumeAttachmentStatus, errors: FieldError[]): void {
  let bytes = 0
  for (const [key, value] of Object.entries(status.attachmentMetadata ?? {}))
    bytes += byteLength(key) + byteLength(value)
  if (bytes > maxMetadataBytes) errors.push(tooLong('status.attachmentMetadata', maxMetadataBytes))
  for (const field of ['attachError', 'detachError'] as const) {
    const { message = '', errorCode = 0 } = status[field] ?? {}
    if (byteLength(message) > maxMessageBytes) errors.push(tooLong(`status.${field}.message`, maxMessageBytes))
    if (errorCode < 0)
      errors.push(invalid(`status.${field}.errorCode`, errorCode, 'must be between 0 and 2147483647, inclusive'))
  }
}

function validateUpdate(attachment: VolumeAttachment, old: VolumeAttachment): readonly FieldError[] {
  const errors: FieldError[] = []
  checkSpec(attachment, errors)
  return [
    ...twice(errors),
    ...(isEqual(attachment.spec, old.spec)
      ? []
      : [invalid('spec', asGoStruct(internalSpec, attachment.spec), immutableText)]),
  ]
}

/** Codes of errors are behind a gate that is off. */
function withoutCodes(status: VolumeAttachmentStatus, old: VolumeAttachmentStatus | undefined): VolumeAttachmentStatus {
  const kept = (field: 'attachError' | 'detachError') =>
    status[field] && (old?.[field]?.errorCode === undefined ? without(status[field], 'errorCode') : status[field])
  return withDefaults(status, { attachError: kept('attachError'), detachError: kept('detachError') })
}

export const volumeAttachmentRules: KindRules<VolumeAttachment> = {
  kind: VolumeAttachment,
  statusKeepsMetadata: true,
  metaOnUpdate: 'mu',
  generation: 'none',
  allowUnconditionalUpdate: false,
  prepareForStatusUpdate: (attachment, old) => ({
    ...old,
    ...(attachment.status && { status: withoutCodes(attachment.status, old.status) }),
  }),
  validate,
  validateUpdate,
  validateStatusUpdate: validateUpdate,
  columns: [
    nameColumn,
    {
      name: 'Attacher',
      type: 'string',
      format: 'name',
      description:
        'attacher indicates the name of the volume driver that MUST handle this request. This is the name returned by GetPluginName().',
      cell: ({ spec }) => spec.attacher,
    },
    text(
      'PV',
      'persistentVolumeName represents the name of the persistent volume to attach.',
      ({ spec }) => spec.source.persistentVolumeName ?? '',
    ),
    text('Node', 'nodeName represents the node that the volume should be attached to.', ({ spec }) => spec.nodeName),
    {
      name: 'Attached',
      type: 'boolean',
      description:
        'attached indicates the volume is successfully attached. This field must only be set by the entity completing the attach operation, i.e. the external-attacher.',
      cell: ({ status }) => status?.attached ?? false,
    },
    ageColumn,
  ],
}
