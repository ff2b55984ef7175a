// NamespaceLifecycle: nothing is created in a namespace that does not exist or is being deleted, and the namespaces of
// the system itself cannot be deleted.
// Reads: Namespace.

import { Namespace } from '#kinds'
import type { AnyObject } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, missing, refuse } from '../plugin.ts'

const immortal = ['default', 'kube-system', 'kube-public']

/** Reviews are answers, not objects: they may be asked about any namespace. */
const isReview = (request: AdmissionRequest): boolean => request.resource.group === 'authorization.k8s.io'

/** Asked before anything else of an object is looked at. */
function mutate(object: AnyObject, request: AdmissionRequest, state: AdmissionState): AnyObject {
  const { operation, namespace } = request
  if (operation !== 'CREATE' || namespace === '' || isReview(request)) return object
  const found = state.get(Namespace, '', namespace)
  if (found === undefined) throw missing('namespaces', namespace)
  if (found.metadata.deletionTimestamp === undefined && found.status?.phase !== 'Terminating') return object
  const causes = [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]
  throw refuse(request, `unable to create new content in namespace ${namespace} because it is being terminated`, causes)
}

function validate(request: AdmissionRequest): void {
  const { operation, kind, name } = request
  if (operation !== 'DELETE' || kind.kind !== 'Namespace' || kind.group !== '' || !immortal.includes(name)) return
  throw refuse(request, 'this namespace may not be deleted')
}

export const namespaceLifecycle: AdmissionPlugin = { name: 'NamespaceLifecycle', mutate, validate }
