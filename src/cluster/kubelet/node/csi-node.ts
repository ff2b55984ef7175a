// The CSINode of a node: the drivers that have registered with its kubelet. Pure.

import type { CSIDriver, CSINode, CSINodeDriver, Node, NodeDriver } from '#kinds'
import { isEqual } from '#objects'

const migrated = [
  'kubernetes.io/aws-ebs',
  'kubernetes.io/azure-disk',
  'kubernetes.io/azure-file',
  'kubernetes.io/cinder',
  'kubernetes.io/gce-pd',
  'kubernetes.io/portworx-volume',
  'kubernetes.io/vsphere-volume',
].join()

/** Drivers that its profiles name, and those that the cluster knows. */
export function driversOf(
  nodeName: string,
  own: readonly NodeDriver[],
  known: readonly CSIDriver[],
): readonly CSINodeDriver[] {
  const named = new Set(own.map(({ name }) => name))
  const others = known.map(({ metadata }) => metadata.name ?? '').filter((name) => !named.has(name))
  return [
    ...own.map(({ name, count, topologyKeys = [] }) => ({
      name,
      nodeID: nodeName,
      topologyKeys,
      ...(count === undefined ? {} : { allocatable: { count } }),
    })),
    ...others.sort().map((name) => ({ name, nodeID: nodeName, topologyKeys: [] })),
  ]
}

/** The object as it should be; the one that is there when it says so already. */
export function csiNodeOf(node: Node, before: CSINode | undefined, drivers: readonly CSINodeDriver[]): CSINode {
  const { name = '', uid = '' } = node.metadata
  if (before !== undefined) {
    const plain = ({ topologyKeys, ...rest }: CSINodeDriver): object => ({ ...rest, topologyKeys: topologyKeys ?? [] })
    const isTold = isEqual((before.spec.drivers ?? []).map(plain), drivers.map(plain))
    return isTold ? before : { ...before, spec: { drivers } }
  }
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: {
      name,
      annotations: { 'storage.alpha.kubernetes.io/migrated-plugins': migrated },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
    },
    spec: { drivers },
  }
}
