// Tells the cluster its own CA, where Kubernetes' API server tells it: the ConfigMap extension-apiserver-authentication.
// The root CA loop copies it into every namespace.

import type { Client } from '#client'
import { ConfigMap } from '#kinds'

export async function announceAuthority(client: Client, authorityPem: string): Promise<void> {
  const announcement: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'kube-system', name: 'extension-apiserver-authentication' },
    data: { 'client-ca-file': authorityPem },
  }
  await client.apply(ConfigMap, announcement, { fieldManager: 'kube-apiserver', force: true })
}
