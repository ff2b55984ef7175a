// Fields that a write cannot change, by its subresource: nobody comes to own them by sending them. As the resetFields of
// Kubernetes' registry strategies.

import type { Served } from './served.ts'

type Path = readonly string[]
type Paths = readonly Path[]

const [metadata, spec, status]: readonly [Path, Path, Path] = [['metadata'], ['spec'], ['status']]

interface ResetFields {
  /** Of the object itself; default: its status, where that is a subresource. */
  readonly main?: Paths
  /** Of `/status`; default: the spec. */
  readonly status?: Paths
  readonly approval?: Paths
}

const statusAlone: ResetFields = { status: [metadata, spec] }

const ofKinds: Readonly<Record<string, ResetFields>> = {
  '/Pod': { status: [spec, ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']] },
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': statusAlone,
  'apiextensions.k8s.io/CustomResourceDefinition': statusAlone,
  'apiregistration.k8s.io/APIService': statusAlone,
  'apps/Deployment': { status: [spec, ['metadata', 'labels']] },
  // The spec of a request is written once, so that nobody owns it.
  'certificates.k8s.io/CertificateSigningRequest': {
    main: [spec, status],
    status: [spec, ['status', 'conditions']],
    approval: [spec, ['status', 'certificate']],
  },
  'flowcontrol.apiserver.k8s.io/FlowSchema': statusAlone,
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': statusAlone,
  // Kubernetes has written the name of the group in another way there, and so leaves nothing out.
  'networking.k8s.io/ServiceCIDR': { main: [], status: [] },
  'storage.k8s.io/VolumeAttachment': statusAlone,
}

export function resetFieldsOf({ info }: Served, subresource: string): Paths {
  const own = ofKinds[`${info.group}/${info.kind}`] ?? {}
  if (subresource === 'status') return own.status ?? [spec]
  if (subresource === 'approval') return own.approval ?? [spec]
  return own.main ?? (info.subresources.some(({ name }) => name === 'status') ? [status] : [])
}
