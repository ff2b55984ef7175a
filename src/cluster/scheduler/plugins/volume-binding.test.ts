// What the claims of a pod say to where it may run: those that are bound and those that are yet to be.
import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import {
  bound,
  claim,
  helpless,
  host,
  object,
  pod,
  type Scene,
  storageClass,
  using,
  verdict,
  volume,
  zone,
  zoned,
} from '../../../../test/support/scheduling-scene.ts'

const on = (hostname: string) => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: host, operator: 'In', values: [hostname] }] }] },
  },
})

describe('VolumeBinding', () => {
  it.each<readonly [string, Pod, Scene, string]>([
    [
      'a missing claim',
      pod('p', using('absent')),
      {},
      '0/5 nodes are available: persistentvolumeclaim "absent" not found. not found',
    ],
    [
      'a missing claim of an ephemeral volume',
      pod('p', { volumes: [{ name: 'v', ephemeral: {} }] }),
      {},
      '0/5 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v". not found',
    ],
    [
      'a claim of that name which is not of the pod',
      pod('p', { volumes: [{ name: 'v', ephemeral: {} }] }),
      { objects: [claim('p-v')] },
      '0/5 nodes are available: PVC demo/p-v was not created for pod demo/p (pod is not owner). not found',
    ],
    [
      'a claim without its class',
      pod('p', using('c')),
      { objects: [claim('c', { spec: { storageClassName: 'absent' } })] },
      '0/5 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
    ],
    [
      'a claim that names its volume and is not bound',
      pod('p', using('c')),
      {
        objects: [
          storageClass('late'),
          claim('c', { spec: { storageClassName: 'late', volumeName: 'pv' } }),
          volume('pv'),
        ],
      },
      '0/5 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
    ],
    [
      'a lost claim',
      pod('p', using('c')),
      { objects: [claim('c', { phase: 'Lost', spec: { volumeName: 'pv' }, annotations: bound })] },
      '0/5 nodes are available: persistentvolumeclaim "c" bound to non-existent persistentvolume "pv". not found',
    ],
    [
      'a claim that is being deleted',
      pod('p', using('c')),
      { objects: [claim('c', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })] },
      '0/5 nodes are available: persistentvolumeclaim "c" is being deleted. not found',
    ],
    [
      'a volume that is gone',
      pod('p', using('c')),
      { objects: [claim('c', { spec: { volumeName: 'pv' }, annotations: bound })] },
      '0/5 nodes are available: persistentvolume "pv" not found. not found',
    ],
    [
      'a local volume of another node',
      pod('p', { ...using('c'), nodeSelector: { [host]: 'node-1' } }),
      { objects: [claim('c', { spec: { volumeName: 'pv' }, annotations: bound }), volume('pv', on('node-3'))] },
      `0/5 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, 4 node(s) didn't match Pod's node affinity/selector.${helpless()}`,
    ],
    [
      'no volume to bind',
      pod('p', using('c')),
      {
        objects: [
          storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' }),
          claim('c', { spec: { storageClassName: 'local' } }),
          volume('small', { storageClassName: 'local', capacity: { storage: '1Mi' } }),
        ],
      },
      `0/5 nodes are available: 5 node(s) didn't find available persistent volumes to bind.${helpless()}`,
    ],
    [
      'two claims and one volume',
      pod('p', using('c', 'd')),
      {
        objects: [
          storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' }),
          claim('c', { spec: { storageClassName: 'local' } }),
          claim('d', { spec: { storageClassName: 'local' } }),
          volume('pv', { storageClassName: 'local' }),
        ],
      },
      `0/5 nodes are available: 5 node(s) didn't find available persistent volumes to bind.${helpless()}`,
    ],
    [
      'claims of which the larger is named first, and volumes that just do',
      pod('p', using('large', 'small')),
      {
        objects: [
          storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' }),
          claim('large', { spec: { storageClassName: 'local', resources: { requests: { storage: '2Gi' } } } }),
          claim('small', { spec: { storageClassName: 'local' } }),
          volume('of-node-1', { storageClassName: 'local', capacity: { storage: '3Gi' }, ...on('node-1') }),
          volume('also', { storageClassName: 'local', capacity: { storage: '2Gi' }, ...on('node-1') }),
        ],
      },
      'on node-1',
    ],
    [
      'a volume that was made for the claim, and is too small',
      pod('p', using('c')),
      {
        objects: [
          storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' }),
          claim('c', { spec: { storageClassName: 'local' } }),
          volume('made', {
            storageClassName: 'local',
            capacity: { storage: '1Mi' },
            claimRef: { namespace: 'demo', name: 'c' },
          }),
        ],
      },
      `0/5 nodes are available: 5 node(s) didn't find available persistent volumes to bind.${helpless()}`,
    ],
    [
      'a class of which a term of topologies asks for nothing',
      pod('p', using('c')),
      {
        objects: [
          storageClass('late', { allowedTopologies: [{ matchLabelExpressions: [] }] }),
          claim('c', { spec: { storageClassName: 'late' } }),
        ],
      },
      `0/5 nodes are available: 5 node(s) didn't find available persistent volumes to bind.${helpless()}`,
    ],
    [
      'topologies that the class does not allow',
      pod('p', using('c')),
      {
        nodes: zoned,
        objects: [
          storageClass('late', { allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ['b'] }] }] }),
          claim('c', { spec: { storageClassName: 'late' } }),
        ],
      },
      'on node-b',
    ],
    [
      'storage of the driver',
      pod('p', using('c')),
      {
        nodes: zoned,
        objects: [
          storageClass('late'),
          claim('c', { spec: { storageClassName: 'late' } }),
          object('CSIDriver', 'csi.example.com', { spec: { storageCapacity: true } }),
          object(
            'CSIStorageCapacity',
            'b',
            { storageClassName: 'late', capacity: '500Mi', nodeTopology: { matchLabels: { [zone]: 'b' } } },
            'kube-system',
          ),
        ],
      },
      `0/3 nodes are available: 3 node(s) did not have enough free storage.${helpless(3)}`,
    ],
    [
      'storage of the driver in one zone',
      pod('p', using('c')),
      {
        nodes: zoned,
        objects: [
          storageClass('late'),
          claim('c', { spec: { storageClassName: 'late' } }),
          object('CSIDriver', 'csi.example.com', { spec: { storageCapacity: true } }),
          object(
            'CSIStorageCapacity',
            'b',
            { storageClassName: 'late', capacity: '5Gi', nodeTopology: { matchLabels: { [zone]: 'b' } } },
            'kube-system',
          ),
        ],
      },
      'on node-b',
    ],
  ])('%s', (_name, wanted, scene, expected) => {
    expect(verdict(wanted, scene)).toBe(expected)
  })
})
