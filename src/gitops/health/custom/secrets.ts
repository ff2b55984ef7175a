// Health of certificates and of secrets that come from elsewhere: cert-manager, External Secrets, Sealed Secrets.

import { byReady } from './idioms.ts'
import type { RuleTable } from './rule.ts'

export const secretTable: RuleTable = {
  // Issuing comes first: a certificate that is renewed stays Ready meanwhile.
  'cert-manager.io/Certificate': [
    { conditions: { 'Issuing=True': ['Progressing'] } },
    ...byReady('Waiting for certificate'),
  ],
  'cert-manager.io/ClusterIssuer': byReady('Initializing ClusterIssuer'),
  'cert-manager.io/Issuer': byReady('Initializing issuer'),
  'certmanager.k8s.io/Certificate': byReady('Waiting for certificate'),
  'certmanager.k8s.io/Issuer': byReady('Initializing issuer'),
  // Its conditions are a history: the last one is what holds.
  'external-secrets.io/ClusterExternalSecret': [
    {
      when: [
        ['status.conditions[-1].type', 'is', 'Ready'],
        ['status.conditions[-1].status', 'is', 'True'],
      ],
      answer: ['Healthy', '{status.conditions[-1].message}'],
    },
    {
      when: [
        ['status.conditions[-1].type', 'is', 'PartiallyReady', 'NotReady'],
        ['status.conditions[-1].status', 'is', 'True'],
      ],
      answer: ['Degraded', '{status.conditions[-1].message}'],
    },
    { answer: ['Progressing', 'Waiting for ClusterExternalSecret'] },
  ],
  'external-secrets.io/ClusterSecretStore': byReady('Waiting for ClusterSecretStore'),
  'external-secrets.io/ExternalSecret': byReady('Waiting for ExternalSecret'),
  'external-secrets.io/PushSecret': byReady('Waiting for PushSecret'),
  'external-secrets.io/SecretStore': byReady('Waiting for SecretStore'),
  'bitnami.com/SealedSecret': [
    { conditions: { 'Synced=False': ['Degraded'], 'Synced=True': ['Healthy'] } },
    { answer: ['Progressing', 'Waiting for Sealed Secret to be decrypted'] },
  ],
}
