// Publishes the cluster's root certificate in every namespace, where pods mount it. The certificate itself comes from
// ConfigMap kube-system/extension-apiserver-authentication, where an API server announces its CA.
// Reads: Namespaces, ConfigMaps.  Writes: ConfigMaps kube-root-ca.crt (create, update).

import { isAlreadyExists } from '#api'
import { ConfigMap, Namespace } from '#kinds'
import { isEqual } from '#objects'
import { type Cache, done, type Kit, type Outcome, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { isNamespaceTerminating } from '../pod-control.ts'

const name = 'kube-root-ca.crt'
const announcement = 'kube-system/extension-apiserver-authentication'
const descriptionAnnotation = 'kubernetes.io/description'
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

export const rootCaController = defineController({
  name: 'rootca',
  account: 'root-ca-cert-publisher',
  reconciles: Namespace,
  watches: [watching(Namespace, ({ metadata }) => [metadata.name ?? '']), watching(ConfigMap, namespacesOfMap)],
  reconcile,
})

function namespacesOfMap({ metadata }: ConfigMap, _old: ConfigMap | undefined, cache: Cache): Iterable<string> {
  if (metadata.name === name) return [metadata.namespace ?? '']
  if (`${metadata.namespace}/${metadata.name}` !== announcement) return []
  return cache.list(Namespace).map((namespace) => namespace.metadata.name ?? '')
}

async function reconcile(namespace: string, kit: Kit): Promise<Outcome> {
  const owner = kit.cache.get(Namespace, namespace)
  if (owner === undefined || owner.metadata.deletionTimestamp !== undefined) return done()
  const current = kit.cache.get(ConfigMap, `${namespace}/${name}`)
  const data = { 'ca.crt': kit.cache.get(ConfigMap, announcement)?.data?.['client-ca-file'] ?? '' }
  const annotations = { [descriptionAnnotation]: description }
  if (current === undefined) {
    const metadata = { name, namespace, annotations }
    await ignoringLateness(kit.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }))
    return done()
  }
  // Whoever says it in other words may.
  const isDescribed = (current.metadata.annotations?.[descriptionAnnotation] ?? '') !== ''
  if (isEqual(current.data, data) && isDescribed) return done()
  const metadata = { ...current.metadata, annotations: { ...current.metadata.annotations, ...annotations } }
  await kit.client.update(ConfigMap, { ...current, metadata, data })
  return done()
}

/** Somebody was faster, or the namespace is going away: nothing to do. */
async function ignoringLateness(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error
  }
}
