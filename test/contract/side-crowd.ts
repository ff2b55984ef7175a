// Work for the loops that only have some when something lies beside the usual way: endpoints made by hand, claims given up,
// pods on nodes that never were, certificates, aggregated roles, faults and probes, a node that is cut off.

import { certificateControllers } from '#controllers'
import {
  CertificateSigningRequest,
  ClusterRole,
  CronJob,
  EndpointSlice,
  Endpoints,
  Fault,
  Job,
  type Kind,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Service,
  TrafficProbe,
  ValidatingAdmissionPolicy,
  VolumeAttributesClass,
} from '#kinds'
import type { LoopDefinition } from '#reconcile'
import { certificatePem, requestPem } from '../support/certificates.ts'
import type { TestMachine } from '../support/machine.ts'
import { pod } from '../support/manifests.ts'

const merge = { type: 'application/merge-patch+json' } as const

const identity = {
  commonName: 'system:node:node-0',
  organizations: ['system:nodes'],
  dnsNames: [],
  emails: [],
  addresses: [],
  uris: [],
}

/** Loops of a whole process that a machine does not bring along by itself. */
export const beside: readonly LoopDefinition[] = certificateControllers(
  async () => identity,
  async () => certificatePem,
)

/** Cut off for a while: it has none of the pods that may only be on one node. */
const cutOffNode = 'node-1'
const vaultClaim = 'data-vault-0'

export async function createSideCrowd(test: Pick<TestMachine, 'client'>, namespace: string): Promise<void> {
  const { client } = test
  const named = (name: string) => ({ name, namespace })
  await client.create(Service, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: named('elsewhere'),
    spec: { ports: [{ port: 80 }] },
  })
  await client.create(Endpoints, {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: named('elsewhere'),
    subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }],
  })
  await client.create(PersistentVolumeClaim, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: named('spare'),
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'made', resources: { requests: { storage: '1Gi' } } },
  })
  await createRecycled(test, namespace)
  await createRunners(test, namespace)
  await createClusterWide(test, namespace)
}

/** A volume that is emptied when its claim goes. */
async function createRecycled({ client }: Pick<TestMachine, 'client'>, namespace: string): Promise<void> {
  const common = { accessModes: ['ReadWriteOnce'], storageClassName: 'worn' } as const
  await client.create(PersistentVolume, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'worn' },
    spec: {
      ...common,
      capacity: { storage: '1Gi' },
      hostPath: { path: '/worn' },
      persistentVolumeReclaimPolicy: 'Recycle',
    },
  })
  await client.create(PersistentVolumeClaim, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'worn', namespace },
    spec: { ...common, resources: { requests: { storage: '1Gi' } } },
  })
}

async function createRunners({ client }: Pick<TestMachine, 'client'>, namespace: string): Promise<void> {
  const work = { name: 'work', image: 'busybox:1.36', command: ['true'] }
  await client.create(CronJob, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'minutely', namespace },
    spec: {
      schedule: '* * * * *',
      successfulJobsHistoryLimit: 0,
      failedJobsHistoryLimit: 0,
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [work] } } } },
    },
  })
  const lost = pod('lost', { nodeName: 'nowhere' })
  await client.create(Pod, { ...lost, metadata: { ...lost.metadata, namespace } })
  const spared = pod('spared', { tolerations: [{ operator: 'Exists' }] })
  await client.create(Pod, { ...spared, metadata: { ...spared.metadata, namespace } })
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'Test',
    message: 'not meant',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  const type = 'application/strategic-merge-patch+json'
  await client.patch(
    Pod,
    { namespace, name: 'spared' },
    { status: { conditions: [condition] } },
    { type, subresource: 'status' },
  )
}

async function createClusterWide({ client }: Pick<TestMachine, 'client'>, namespace: string): Promise<void> {
  await client.create(ClusterRole, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'one-of-ours', labels: { ours: 'yes' } },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  })
  await client.create(CertificateSigningRequest, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'someone' },
    spec: {
      request: btoa(requestPem),
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['client auth', 'digital signature'],
    },
  })
  const rule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments'] } as const
  await client.create(ValidatingAdmissionPolicy, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'mistaken' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'object.replicas > 1' }],
    },
  })
  await client.create(VolumeAttributesClass, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name: 'unused' },
    driverName: 'disk.example.com',
    parameters: { iops: '100' },
  })
  await client.create(Fault, {
    apiVersion: 'lab.homeostat.dev/v1alpha1',
    kind: 'Fault',
    metadata: { name: 'far-away' },
    spec: { registryDown: { hosts: ['nowhere.example.com'] } },
  })
  await client.create(TrafficProbe, {
    apiVersion: 'lab.homeostat.dev/v1alpha1',
    kind: 'Probe',
    metadata: { name: 'web' },
    spec: { target: { service: 'web', namespace } },
  })
}

/** What people do to it in the middle of the story. */
export async function changeSideCrowd({ client, find, machine }: TestMachine, namespace: string): Promise<void> {
  if ((await find(PersistentVolumeClaim, { namespace, name: vaultClaim }))?.status?.phase === 'Bound')
    await enlarge({ client }, namespace)
  for (const name of ['spare', 'worn']) await client.delete(PersistentVolumeClaim, { namespace, name })
  await client.delete(VolumeAttributesClass, { name: 'unused' })
  // Its claim of a device goes with it.
  if ((await find(Pod, { namespace, name: 'trainer-0' })) !== undefined)
    await client.delete(Pod, { namespace, name: 'trainer-0' })
  machine.residents.kubelet?.stopNode(cutOffNode)
}

const enlarge = ({ client }: Pick<TestMachine, 'client'>, namespace: string): Promise<unknown> =>
  client.patch(
    PersistentVolumeClaim,
    { namespace, name: vaultClaim },
    { spec: { resources: { requests: { storage: '2Gi' } } } },
    merge,
  )

/** The node that was cut off is given up by the control plane, and the CronJob's first minute is over. */
export async function isSideUnderWay(test: TestMachine, namespace: string): Promise<boolean> {
  // A machine that began anew began with all its nodes.
  test.machine.residents.kubelet?.stopNode(cutOffNode)
  const cronJob = await test.find(CronJob, { namespace, name: 'minutely' })
  return cronJob?.status?.lastScheduleTime !== undefined && (await isNodeLost(test))
}

async function isNodeLost({ find }: TestMachine): Promise<boolean> {
  const node = await find(Node, { name: cutOffNode })
  return node?.spec?.taints?.some(({ effect }) => effect === 'NoExecute') === true
}

export async function endSideCrowd(test: TestMachine, namespace: string): Promise<void> {
  const { client, machine } = test
  machine.residents.kubelet?.startNode(cutOffNode)
  await client.delete(CronJob, { namespace, name: 'minutely' })
  await client.delete(Fault, { name: 'far-away' })
  await client.delete(TrafficProbe, { name: 'web' })
}

export async function isSideSettled(test: TestMachine, namespace: string): Promise<boolean> {
  const { client, find } = test
  const gone = async (kind: Kind, name: string): Promise<boolean> =>
    (await find(kind, { namespace, name })) === undefined
  const claim = await find(PersistentVolumeClaim, { namespace, name: vaultClaim })
  // Where the story was in a hurry there was nothing to enlarge yet.
  if (claim?.status?.phase === 'Bound' && claim.spec?.resources?.requests?.['storage'] === '1Gi')
    await enlarge(test, namespace)
  const spared = await find(Pod, { namespace, name: 'spared' })
  const mirrored = await client.list(EndpointSlice, {
    namespace,
    labelSelector: 'kubernetes.io/service-name=elsewhere',
  })
  const jobs = (await client.list(Job, { namespace })).items
  const volumes = (await client.list(PersistentVolume)).items.filter(({ spec }) => spec?.storageClassName === 'made')
  const worn = await find(PersistentVolume, { name: 'worn' })
  const recycler = await find(Pod, { namespace: 'default', name: 'recycler-for-worn' })
  const roles = await find(ClusterRole, { name: 'all-of-ours' })
  const policy = await find(ValidatingAdmissionPolicy, { name: 'mistaken' })
  const request = await find(CertificateSigningRequest, { name: 'someone' })
  return (
    claim?.status?.capacity?.['storage'] === '2Gi' &&
    volumes.length === 1 &&
    worn?.status?.phase === 'Available' &&
    recycler === undefined &&
    (await gone(PersistentVolumeClaim as Kind, 'spare')) &&
    (await gone(VolumeAttributesClass as Kind, 'unused')) &&
    (await gone(Pod as Kind, 'lost')) &&
    spared?.status?.conditions?.some(({ type, status }) => type === 'DisruptionTarget' && status === 'False') ===
      true &&
    mirrored.items.length === 1 &&
    (roles?.rules ?? []).length === 1 &&
    policy?.status?.observedGeneration === policy?.metadata.generation &&
    // An hour later it is taken away.
    (request === undefined || request.status?.certificate !== undefined) &&
    jobs.every(({ metadata }) => !metadata.name?.startsWith('minutely')) &&
    !(await isNodeLost(test))
  )
}
