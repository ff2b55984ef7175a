// The kind Fault: trouble that holds while the object exists and is over when it is deleted.

import type { Kind } from '../kind.ts'
import { labDefinition, labGroup, labVersion, object, text, texts, whole } from '../lab/schema-words.ts'
import { faultSpec } from './schema.ts'
import type { Fault as FaultObject } from './types.ts'

export type * from './types.ts'

export type Fault = FaultObject
export const Fault: Kind<FaultObject> = {
  group: labGroup,
  version: labVersion,
  kind: 'Fault',
  resource: 'faults',
  namespaced: false,
}

export const faultDefinition = labDefinition({
  kind: 'Fault',
  plural: 'faults',
  shortNames: [],
  description:
    'Fault breaks a part of the simulated cluster for as long as it exists: delete it and the part works again. Requests for Faults themselves are never broken.',
  spec: faultSpec,
  status: object(
    {
      observedGeneration: { ...whole('The generation that is in force.'), format: 'int64' },
      type: text('The kinds of trouble that it makes.'),
      phase: text('Active, Idle while nothing matches, or Rebooting while nodes are down for that.'),
      targets: texts('What it holds at the moment: names of nodes, hosts, loops, kinds.'),
      message: text('What is wrong with it, or what it does.'),
      kills: whole('containerKilled: how many containers were killed.'),
      lastKillTime: { type: 'string', format: 'date-time', description: 'containerKilled: when the last one was.' },
      reboots: whole('nodeReboot: how often nodes were started anew.'),
      lastRebootTime: { type: 'string', format: 'date-time', description: 'nodeReboot: when they went down last.' },
    },
    'What it does.',
  ),
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.status.type' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Targets', type: 'string', jsonPath: '.status.targets' },
    { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
  ],
})
