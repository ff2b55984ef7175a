// The kind NodeProfile: what the machines under the kubelets are like in the simulated cluster, as data.

import type { KubeObject } from '#objects'
import type { Kind } from '../kind.ts'
import { anything, labDefinition, labGroup, labVersion } from '../lab/schema-words.ts'
import { nodeProfileSpec } from './schema.ts'
import type { NodeProfileSpec } from './types.ts'

export type * from './types.ts'

export interface NodeProfile extends KubeObject {
  readonly spec: NodeProfileSpec
}

export const NodeProfile: Kind<NodeProfile> = {
  group: labGroup,
  version: labVersion,
  kind: 'NodeProfile',
  resource: 'nodeprofiles',
  namespaced: false,
}

export const nodeProfileDefinition = labDefinition({
  kind: 'NodeProfile',
  plural: 'nodeprofiles',
  shortNames: [],
  description:
    'NodeProfile says what nodes of the simulated cluster are like: their files, static pods, devices, drivers, what is taken beside the pods, and when their kubelets evict.',
  spec: nodeProfileSpec,
  status: anything('Nothing is reported.'),
  columns: [
    { name: 'Priority', type: 'integer', jsonPath: '.spec.priority' },
    { name: 'Nodes', type: 'string', jsonPath: '.spec.match.nodes' },
    { name: 'Description', type: 'string', jsonPath: '.spec.description', priority: 1 },
  ],
})
