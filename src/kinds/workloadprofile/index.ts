// The kind WorkloadProfile: what containers and images do in the simulated cluster, as data.

import type { KubeObject } from '#objects'
import type { Kind } from '../kind.ts'
import { anything, labDefinition, labGroup, labVersion } from '../lab/schema-words.ts'
import { workloadProfileSpec } from './schema.ts'
import type { WorkloadProfileSpec } from './types.ts'

export type * from './types.ts'

export interface WorkloadProfile extends KubeObject {
  readonly spec: WorkloadProfileSpec
}

export const WorkloadProfile: Kind<WorkloadProfile> = {
  group: labGroup,
  version: labVersion,
  kind: 'WorkloadProfile',
  resource: 'workloadprofiles',
  namespaced: false,
}

export const workloadProfileDefinition = labDefinition({
  kind: 'WorkloadProfile',
  plural: 'workloadprofiles',
  shortNames: ['wp'],
  description:
    'WorkloadProfile says what containers and images do in the simulated cluster: how pulls, runs, probes and signals turn out. It holds for what happens from now on.',
  spec: workloadProfileSpec,
  status: anything('Nothing is reported.'),
  columns: [
    { name: 'Priority', type: 'integer', jsonPath: '.spec.priority' },
    { name: 'Images', type: 'string', jsonPath: '.spec.match.images' },
    { name: 'Description', type: 'string', jsonPath: '.spec.description', priority: 1 },
  ],
})
