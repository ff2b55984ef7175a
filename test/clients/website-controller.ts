// A controller as people write them with @kubernetes/client-node, in a process of its own: a Website becomes a Deployment and
// a Service that it owns, and its status tells how many replicas are available. Its argument is a kubeconfig.

import {
  AppsV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  type V1Deployment,
  type V1OwnerReference,
  type V1Service,
} from '@kubernetes/client-node'
import { group, plural, version, type Website } from './website.ts'

const config = new KubeConfig()
config.loadFromFile(process.argv[2] ?? '')
const custom = config.makeApiClient(CustomObjectsApi)
const objects = KubernetesObjectApi.makeApiClient(config)
const apps = config.makeApiClient(AppsV1Api)

const apply = <T extends KubernetesObject>(object: T): Promise<T> =>
  objects.patch(object, undefined, undefined, 'website-controller', true, PatchStrategy.ServerSideApply)

function childrenOf(website: Website): readonly [V1Deployment, V1Service] {
  const { name = '', namespace = '', uid = '' } = website.metadata ?? {}
  const owner: V1OwnerReference = { apiVersion: `${group}/${version}`, kind: 'Website', name, uid, controller: true }
  const metadata = { name, namespace, ownerReferences: [owner] }
  const labels = { website: name }
  const env = [{ name: 'HTML', value: website.spec.html }]
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: website.spec.replicas ?? 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1.29', env }] } },
      },
    },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: [{ port: 80 }] } },
  ]
}

async function reconcile(website: Website): Promise<void> {
  if (website.metadata?.deletionTimestamp !== undefined) return
  const [deployment, service] = childrenOf(website)
  const applied = await apply(deployment)
  await apply(service)
  const status = {
    observedGeneration: website.metadata?.generation ?? 0,
    availableReplicas: applied.status?.availableReplicas ?? 0,
  }
  const { name = '', namespace = '' } = website.metadata ?? {}
  const at = { group, version, plural, namespace, name }
  await custom.patchNamespacedCustomObjectStatus({ ...at, body: [{ op: 'add', path: '/status', value: status }] })
}

const websites = makeInformer<Website>(
  config,
  `/apis/${group}/${version}/${plural}`,
  () => custom.listCustomObjectForAllNamespaces({ group, version, plural }) as Promise<KubernetesListObject<Website>>,
)
const deployments = makeInformer<V1Deployment>(config, '/apis/apps/v1/deployments', () =>
  apps.listDeploymentForAllNamespaces(),
)

/** One at a time; what fails is tried again. */
let turn = Promise.resolve()
function enqueue(name: string | undefined, namespace: string | undefined): void {
  turn = turn.then(async () => {
    const website = websites.get(name ?? '', namespace)
    if (website === undefined) return
    await reconcile(website).catch((error: Error) => {
      process.stderr.write(`${namespace}/${name}: ${error.message}\n`)
      setTimeout(() => enqueue(name, namespace), 100)
    })
  })
}

for (const verb of ['add', 'update'] as const)
  websites.on(verb, ({ metadata }) => enqueue(metadata?.name, metadata?.namespace))
for (const verb of ['add', 'update', 'delete'] as const)
  deployments.on(verb, ({ metadata }) => {
    const owner = metadata?.ownerReferences?.find(({ kind }) => kind === 'Website')
    if (owner !== undefined) enqueue(owner.name, metadata?.namespace)
  })
for (const informer of [websites, deployments]) {
  informer.on('error', () => setTimeout(() => void informer.start(), 100))
  await informer.start()
}
