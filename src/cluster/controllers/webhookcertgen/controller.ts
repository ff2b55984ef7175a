// Plays what Jobs of the image kube-webhook-certgen do (beside ingress-nginx and the Prometheus operator): they make the
// Secret with a webhook's certificate, which its server waits for, and tell the webhook configurations whom to trust. No
// process runs, so the certificate is the cluster's own root, and the key is none.
// Reads: Pods, Secrets, ConfigMaps, webhook configurations.  Writes: Secrets, webhook configurations.

import { isAlreadyExists } from '#api'
import { ConfigMap, type Kind, MutatingWebhookConfiguration, Pod, Secret, ValidatingWebhookConfiguration } from '#kinds'
import { objectKey } from '#objects'
import { done, type Kit, type Outcome, requeueAfter, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { type CertgenOrder, hasBegun, isCertgen, orderOf } from './decide.ts'

const rootCa = 'kube-root-ca.crt'
/** What is waited for comes soon. */
const againMs = 2000
const noKey = '-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n'
const none: readonly string[] = []

export const webhookCertgenController = defineController({
  name: 'webhook-certgen',
  account: 'webhook-certgen',
  manager: 'kube-webhook-certgen',
  reconciles: Pod,
  watches: [watching(Pod, (pod) => (pod.spec.containers.some(isCertgen) && hasBegun(pod) ? [objectKey(pod)] : none))],
  reads: [Secret, ConfigMap, MutatingWebhookConfiguration, ValidatingWebhookConfiguration],
  async reconcile(key, kit) {
    const pod = kit.cache.get(Pod, key)
    const order = pod === undefined ? undefined : orderOf(pod)
    if (order === undefined) return done()
    return order.type === 'create' ? make(kit, order) : trust(kit, order)
  },
})

type Order<T extends CertgenOrder['type']> = Extract<CertgenOrder, { readonly type: T }>

async function make(
  kit: Kit,
  { namespace, secret, keys: [certificate, privateKey] }: Order<'create'>,
): Promise<Outcome> {
  if (kit.cache.get(Secret, `${namespace}/${secret}`) !== undefined) return done()
  const ca = kit.cache.get(ConfigMap, `${namespace}/${rootCa}`)?.data?.['ca.crt']
  if (ca === undefined) return requeueAfter(againMs)
  const data = { ca: btoa(ca), [certificate]: btoa(ca), [privateKey]: btoa(noKey) }
  try {
    await kit.client.create(Secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secret, namespace },
      type: 'Opaque',
      data,
    })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  return done()
}

async function trust(kit: Kit, order: Order<'patch'>): Promise<Outcome> {
  const caBundle = kit.cache.get(Secret, `${order.namespace}/${order.secret}`)?.data?.['ca']
  if (caBundle === undefined) return requeueAfter(againMs)
  if (order.mutating) await trustIn(kit, MutatingWebhookConfiguration, order.webhook, caBundle)
  if (order.validating)
    await trustIn(
      kit,
      ValidatingWebhookConfiguration as unknown as Kind<MutatingWebhookConfiguration>,
      order.webhook,
      caBundle,
    )
  return done()
}

async function trustIn(
  { cache, client }: Kit,
  kind: Kind<MutatingWebhookConfiguration>,
  name: string,
  caBundle: string,
): Promise<void> {
  const configuration = cache.get(kind, name)
  const webhooks = configuration?.webhooks ?? []
  if (configuration === undefined || webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) return
  await client.update(kind, {
    ...configuration,
    webhooks: webhooks.map((webhook) => ({ ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } })),
  })
}
