// Gives every namespace its service account `default`.
// Reads: Namespaces, ServiceAccounts.  Writes: ServiceAccounts (create).

import { isAlreadyExists } from '#api'
import { Namespace, ServiceAccount } from '#kinds'
import { done, type Kit, type Outcome, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { isNamespaceTerminating } from '../pod-control.ts'

const name = 'default'

export const serviceAccountController = defineController({
  name: 'serviceaccount',
  account: 'service-account-controller',
  reconciles: Namespace,
  watches: [
    watching(Namespace, ({ metadata }) => [metadata.name ?? '']),
    watching(ServiceAccount, ({ metadata }) => (metadata.name === name ? [metadata.namespace ?? ''] : [])),
  ],
  reconcile,
})

async function reconcile(namespace: string, kit: Kit): Promise<Outcome> {
  const owner = kit.cache.get(Namespace, namespace)
  if (owner === undefined || owner.metadata.deletionTimestamp !== undefined) return done()
  if (kit.cache.get(ServiceAccount, `${namespace}/${name}`) !== undefined) return done()
  try {
    await kit.client.create(ServiceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } })
  } catch (error) {
    if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error
  }
  return done()
}
