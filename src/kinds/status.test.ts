// What may be written of a status.
import { expect, it } from 'vitest'
import type { AnyObject } from '#objects'
import { validateApproval } from './certificatesigningrequest/status.ts'
import type { KindRules } from './kind.ts'
import { kindRules } from './registry.ts'

/** Self-signed; no key belongs to it. */
const certificateDer =
  'MIIBbjCCAROgAwIBAgIUVDy+QcbvegrN/zsnVz+Us44Yw1swCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYzAeFw0yNjExMzAxNzM5MzVaFw0zNjExMjcxNzM5MzVaMAwxCjAIBgNVBAMMAWMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQM45zkvXywu40zpbNxta4oimF6HHFrdFkDvxWW8NwYxnqCQp4/jwfAfOcibF3WI9ubLbCFohD0K2H2GsSqOeoWo1MwUTAdBgNVHQ4EFgQUPeT5OypvYUfB9X1s/SDh59/kPoQwHwYDVR0jBBgwFoAUPeT5OypvYUfB9X1s/SDh59/kPoQwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAtlxgKYy1tqIGj5RCShdNEPVbdFr/3an7CTQTnLUx2fgCIQCgCGOnsyh1jVQPLEXzUPW8plN8RtD0sz8p2DoRUV/v7A=='

const good = { type: 'Synced', status: 'True', lastTransitionTime: '2025-01-01T00:00:00Z', reason: 'Done' }
const decided = (type: string, status = 'True'): object => ({ type, status })
const pem = Buffer.from(`-----BEGIN CERTIFICATE-----\n${certificateDer}\n-----END CERTIFICATE-----`).toString('base64')

it.each<[string, object, object, readonly string[]]>([
  ['PodDisruptionBudget', {}, { conditions: [good] }, []],
  [
    'PodDisruptionBudget',
    {},
    { conditions: [good, { ...good, status: 'Yes' }] },
    [
      'status.conditions[1].type: Duplicate value: "Synced"',
      'status.conditions[1].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"',
    ],
  ],
  [
    'PodDisruptionBudget',
    {},
    { conditions: [{ ...good, lastTransitionTime: null, reason: '' }], expectedPods: -1 },
    [
      'status.conditions[0].lastTransitionTime: Required value',
      'status.conditions[0].reason: Required value',
      'status.expectedPods: Invalid value: -1: must be greater than or equal to 0',
    ],
  ],
  [
    'PriorityLevelConfiguration',
    {},
    { conditions: [{ status: 'True' }] },
    ['status.conditions[0].type: Required value'],
  ],
  [
    'PriorityLevelConfiguration',
    {},
    { conditions: [{ status: 'True' }, { status: 'True' }] },
    [
      'status.conditions[0].type: Required value',
      'status.conditions[1].type: Duplicate value: ""',
      'status.conditions[1].type: Required value',
    ],
  ],
  [
    'Pod',
    {},
    { hostIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'a b', observedGeneration: -1 }] },
    [
      'status.conditions[0].observedGeneration: Invalid value: -1: must be a non-negative integer',
      "status.conditions[0].Type: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'status.hostIPs[0].ip: Invalid value: "10.0.0.1": must be equal to `hostIP`',
    ],
  ],
  ['CertificateSigningRequest', {}, { certificate: pem }, []],
  [
    'CertificateSigningRequest',
    {},
    { certificate: 'AAAA' },
    ['status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block'],
  ],
  [
    'CertificateSigningRequest',
    { certificate: pem },
    {},
    ['status.certificate: Forbidden: updates may not modify existing certificate content'],
  ],
  [
    'CertificateSigningRequest',
    {},
    { conditions: [decided('Approved')] },
    ['status.conditions: Forbidden: updates may not add a condition of type "Approved"'],
  ],
])('%s %j', (kind, before, after, texts) => {
  const rules = kindRules.find((one) => one.kind.kind === kind) as unknown as KindRules<AnyObject>
  const at = (status: object): AnyObject => ({ metadata: { name: 'a' }, spec: {}, status }) as unknown as AnyObject
  const faults = rules.validateStatusUpdate?.(at(after), at(before)) ?? []
  expect(faults.map(({ field, message }) => `${field}: ${message}`)).toEqual(texts)
})

const seen = (observedGeneration?: number): object => ({
  type: 'a/b',
  ...(observedGeneration === undefined ? {} : { observedGeneration }),
})

it.each<[string, object, object, object]>([
  ['Deployment', {}, { replicas: 1, terminatingReplicas: 1 }, { replicas: 1 }],
  ['ReplicaSet', {}, { replicas: 1, terminatingReplicas: 1 }, { replicas: 1 }],
  ['ReplicaSet', { terminatingReplicas: 2 }, { terminatingReplicas: 1 }, { terminatingReplicas: 1 }],
  ['VolumeAttachment', {}, { attachError: { message: 'a', errorCode: 5 } }, { attachError: { message: 'a' } }],
  [
    'Pod',
    { qosClass: 'BestEffort', conditions: [seen(1), seen(2)] },
    { conditions: [seen(), seen(), seen()] },
    { qosClass: 'BestEffort', conditions: [seen(1), seen(2), seen()] },
  ],
])('%s keeps of %j and %j what counts', (kind, before, after, kept) => {
  const rules = kindRules.find((one) => one.kind.kind === kind) as unknown as KindRules<AnyObject>
  const at = (status: object): AnyObject => ({ metadata: { name: 'a' }, spec: {}, status }) as unknown as AnyObject
  expect(rules.prepareForStatusUpdate?.(at(after), at(before), '2025-01-01T00:00:00Z')['status']).toEqual(kept)
})

it.each<[object[], object[], readonly string[]]>([
  [[], [decided('Approved')], []],
  [
    [],
    [decided('Denied', 'False')],
    ['status.conditions[0].status: Unsupported value: "False": supported values: "True"'],
  ],
  [
    [],
    [decided('Approved'), decided('Denied')],
    ['status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive'],
  ],
  [[decided('Approved')], [], ['status.conditions: Forbidden: updates may not remove a condition of type "Approved"']],
])('decides requests %j', (before, after, texts) => {
  const at = (conditions: object[]) => ({ metadata: { name: 'a' }, spec: {}, status: { conditions } }) as never
  expect(validateApproval(at(after), at(before)).map(({ field, message }) => `${field}: ${message}`)).toEqual(texts)
})
