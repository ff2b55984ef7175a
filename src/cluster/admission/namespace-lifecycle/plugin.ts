// NamespaceLifecycle: nothing is created in a namespace that does not exist or is being deleted, and the namespaces of
// the system itself cannot be deleted.
// Reads: Namespace.

import { Namespace } from '#kinds'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, missing, refuse } from '../plugin.ts'

const immortal = ['default', 'kube-system', 'kube-public']

/** Reviews are answers, not objects: they may be asked about any namespace. */
const isReview = (request: AdmissionRequest): boolean => request.resource.group === 'authorization.k8s.io'

export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  validate(request: AdmissionRequest, state: AdmissionState): void {
    const { operation, namespace, name } = request
    if (operation === 'DELETE') {
      if (request.kind.kind !== 'Namespace' || request.kind.group !== '' || !immortal.includes(name)) return
      throw refuse(request, 'this namespace may not be deleted')
    }
    if (operation !== 'CREATE' || namespace === '' || isReview(request)) return
    const found = state.get(Namespace, '', namespace)
    if (found === undefined) throw missing('namespaces', namespace)
    if (found.metadata.deletionTimestamp === undefined && found.status?.phase !== 'Terminating') return
    throw refuse(request, `unable to create new content in namespace ${namespace} because it is being terminated`, [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ])
  },
}
