// Which tokens a kubelet may ask for: of pods that are bound to it, for an audience that their volumes name, themselves or
// by their CSI drivers (ServiceAccountNodeAudienceRestriction).
// Reads: Pod, CSIDriver, PersistentVolumeClaim, PersistentVolume.

import {
  CSIDriver,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type AuthenticationV1TokenRequest as TokenRequest,
} from '#kinds'
import type { AdmissionRequest, AdmissionState } from '../plugin.ts'
import { type Fault, quoted } from './fault.ts'

export const tokenFault: Fault = (request, node, state) => {
  const { subresource, object, namespace } = request
  if (subresource !== 'token') return undefined
  const { boundObjectRef, audiences } = (object as unknown as TokenRequest).spec
  const { apiVersion, kind, name = '', uid = '' } = boundObjectRef ?? {}
  if (apiVersion !== 'v1' || kind !== 'Pod' || name === '') return 'node requested token not bound to a pod'
  if (uid === '') return 'node requested token with a pod binding without a uid'
  const pod = state.get(Pod, namespace, name)
  if (pod === undefined) return `pod ${quoted(name)} not found`
  if (pod.metadata.uid !== uid)
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
  if (pod.spec.nodeName !== node) return 'node requested token bound to a pod scheduled on a different node'
  return audienceFault(audiences ?? [], pod, { request, state })
}

interface Place {
  readonly request: AdmissionRequest
  readonly state: AdmissionState
}

function audienceFault(audiences: readonly string[], pod: Pod, { request, state }: Place): string | undefined {
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences'
  const [audience = ''] = audiences
  if (audiencesOf(pod, state).has(audience)) return undefined
  const verb = 'request-serviceaccounts-token-audience'
  const { caller, namespace, name } = request
  return state.decide({ caller, verb, group: '', resource: audience, namespace, name }).allowed
    ? undefined
    : `audience ${quoted(audience)} not found in pod spec volume`
}

/** An empty text stands for the API server's own. */
function audiencesOf({ metadata, spec }: Pod, state: AdmissionState): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { csi, projected, persistentVolumeClaim, ephemeral, name } of spec.volumes ?? []) {
    for (const { serviceAccountToken: token } of projected?.sources ?? [])
      if (token !== undefined) found.add(token.audience ?? '')
    const claim = ephemeral === undefined ? persistentVolumeClaim?.claimName : `${metadata.name}-${name}`
    const driver = csi?.driver ?? driverOf(claim, metadata.namespace ?? '', state)
    const requests = driver === undefined ? undefined : state.get(CSIDriver, '', driver)?.spec.tokenRequests
    for (const { audience } of requests ?? []) found.add(audience)
  }
  return found
}

function driverOf(claim: string | undefined, namespace: string, state: AdmissionState): string | undefined {
  if (claim === undefined) return undefined
  const volume = state.get(PersistentVolumeClaim, namespace, claim)?.spec?.volumeName
  return volume === undefined ? undefined : state.get(PersistentVolume, '', volume)?.spec?.csi?.driver
}
