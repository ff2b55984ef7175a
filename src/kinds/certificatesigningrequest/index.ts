// CertificateSigningRequest (certificates.k8s.io/v1).

import { isEqual } from '#objects'
import { duplicate, type FieldError, invalid, notSupported, required } from '../field-error.ts'
import { CertificateSigningRequest } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'
import { humanDuration } from '../table/duration.ts'
import { requestFault } from './request.ts'
import { checkSignerName } from './signer-name.ts'
import { timedConditions, validateRequestStatus, withOldDecisions } from './status.ts'

const minSeconds = 600
const usageNames = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]

function validate({ spec }: CertificateSigningRequest): readonly FieldError[] {
  const errors: FieldError[] = []
  const { request = '', signerName = '', expirationSeconds } = spec
  const fault = requestFault(request)
  if (fault !== undefined) errors.push(invalid('spec.request', request, fault))
  checkUsages(spec.usages ?? [], errors)
  if (signerName === 'kubernetes.io/legacy-unknown')
    errors.push(invalid('spec.signerName', signerName, 'the legacy signerName is not allowed via this API version'))
  else checkSignerName(signerName, 'spec.signerName', errors)
  if (expirationSeconds !== undefined && expirationSeconds < minSeconds)
    errors.push(
      invalid(
        'spec.expirationSeconds',
        expirationSeconds,
        `may not specify a duration less than ${minSeconds} seconds (10 minutes)`,
      ),
    )
  return errors
}

function checkUsages(usages: readonly string[], errors: FieldError[]): void {
  if (usages.length === 0) errors.push(required('spec.usages'))
  usages.forEach((usage, i) => {
    if (!usageNames.includes(usage)) errors.push(notSupported(`spec.usages[${i}]`, usage, usageNames))
  })
  usages.forEach((usage, i) => {
    if (usages.indexOf(usage) < i) errors.push(duplicate(`spec.usages[${i}]`, usage))
  })
}

function conditionCell({ status }: CertificateSigningRequest): string {
  const has = (type: string): boolean => status?.conditions?.some((condition) => condition.type === type) === true
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'
  return `${decision}${has('Failed') ? ',Failed' : ''}${status?.certificate ? ',Issued' : ''}`
}

export const certificateSigningRequestRules: KindRules<CertificateSigningRequest> = {
  kind: CertificateSigningRequest,
  generation: 'none',
  nameRule: 'path',
  // The spec is written once.
  prepareForUpdate: (request, old) =>
    isEqual(request.spec, old.spec) && request.status === old.status
      ? request
      : { ...request, spec: old.spec, ...(old.status === undefined ? {} : { status: old.status }) },
  prepareForStatusUpdate: (request, old, now) => {
    const kept = withOldDecisions({ ...old, metadata: request.metadata, status: request.status ?? {} }, old)
    return { ...kept, status: { ...kept.status, conditions: timedConditions(kept, old, now) } }
  },
  validate,
  validateStatusUpdate: validateRequestStatus,
  columns: [
    nameColumn,
    ageColumn,
    text(
      'SignerName',
      'Requested signer for the request. It is a qualified name in the form: `scope-hostname.io/name`. If empty, it will be defaulted:\n 1. If it\'s a kubelet client certificate, it is assigned\n    "kubernetes.io/kube-apiserver-client-kubelet".\n 2. If it\'s a kubelet serving certificate, it is assigned\n    "kubernetes.io/kubelet-serving".\n 3. Otherwise, it is assigned "kubernetes.io/legacy-unknown".\nDistribution of trust for signers happens out of band. You can select on this field using `spec.signerName`.',
      ({ spec }) => spec.signerName || '<none>',
    ),
    text('Requestor', 'Base64-encoded PKCS#10 CSR data', ({ spec }) => spec.username ?? ''),
    text(
      'RequestedDuration',
      'expirationSeconds is the requested duration of validity of the issued certificate. The certificate signer may issue a certificate with a different validity duration so a client must check the delta between the notBefore and and notAfter fields in the issued certificate to determine the actual duration.\n\nThe v1.22+ in-tree implementations of the well-known Kubernetes signers will honor this field as long as the requested duration is not greater than the maximum duration they will honor per the --cluster-signing-duration CLI flag to the Kubernetes controller manager.\n\nCertificate signers may not honor this field for various reasons:\n\n  1. Old signer that is unaware of the field (such as the in-tree\n     implementations prior to v1.22)\n  2. Signer whose configured maximum is shorter than the requested duration\n  3. Signer whose configured minimum is longer than the requested duration\n\nThe minimum valid value for expirationSeconds is 600, i.e. 10 minutes.',
      ({ spec }) => (spec.expirationSeconds === undefined ? '<none>' : humanDuration(spec.expirationSeconds * 1000)),
    ),
    text('Condition', 'Conditions applied to the request, such as approval or denial.', conditionCell),
  ],
  selectableFields: { 'spec.signerName': ({ spec }) => spec.signerName ?? '' },
}
