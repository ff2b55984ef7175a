// CertificateApproval and CertificateSigning: only those who may act for a signer approve or sign requests for it.
// CertificateSubjectRestriction: nobody asks for the certificate of a superuser.

import { type CertificateSigningRequest, parseRequest, requestFault } from '#kinds'
import { isEqual } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'

const resources = ['certificatesigningrequests']

/** For a signer itself, or for all of its domain (`example.com/*`). */
function mayActFor(signer: string, verb: string, { caller }: AdmissionRequest, state: AdmissionState): boolean {
  const domain = `${signer.split('/')[0] ?? ''}/*`
  return [signer, domain].some(
    (name) => state.decide({ caller, verb, group: 'certificates.k8s.io', resource: 'signers', name }).allowed,
  )
}

const signerOf = ({ object }: AdmissionRequest): string =>
  (object as unknown as CertificateSigningRequest | undefined)?.spec?.signerName ?? ''

export const certificateApproval: AdmissionPlugin = {
  name: 'CertificateApproval',
  resources,
  validate(request, state) {
    if (request.operation !== 'UPDATE' || request.subresource !== 'approval') return
    const signer = signerOf(request)
    if (mayActFor(signer, 'approve', request, state)) return
    throw refuse(request, `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`)
  },
}

export const certificateSigning: AdmissionPlugin = {
  name: 'CertificateSigning',
  resources,
  validate(request, state) {
    if (request.operation !== 'UPDATE' || request.subresource !== 'status' || !isSigned(request)) return
    const signer = signerOf(request)
    if (mayActFor(signer, 'sign', request, state)) return
    throw refuse(request, `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`)
  },
}

/** Whether the request changes the certificate or what is said of it. */
function isSigned({ object, old }: AdmissionRequest): boolean {
  const [next, before] = [object, old] as unknown as readonly (CertificateSigningRequest | undefined)[]
  const [now, then] = [next?.status, before?.status]
  return now?.certificate !== then?.certificate || !isEqual(now?.conditions ?? [], then?.conditions ?? [])
}

const apiClientSigner = 'kubernetes.io/kube-apiserver-client'
const superusers = 'system:masters'

export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  resources,
  validate(request) {
    if (request.operation !== 'CREATE' || request.subresource !== '' || signerOf(request) !== apiClientSigner) return
    const { spec } = request.object as unknown as CertificateSigningRequest
    const fault = requestFault(spec.request)
    if (fault !== undefined) throw refuse(request, `failed to parse CSR: ${fault}`)
    if (!parseRequest(spec.request).subject.organizations.includes(superusers)) return
    throw refuse(request, `use of ${apiClientSigner} signer with ${superusers} group is not allowed`)
  },
}
