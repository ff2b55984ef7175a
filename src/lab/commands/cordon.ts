// `cordon NODE` and `uncordon NODE`: whether the scheduler may use it.

import { Node } from '#kinds'
import type { LabCommand } from '../command.ts'
import type { Lab } from '../lab.ts'
import { UsageError } from '../scenario-error.ts'

export async function setUnschedulable(lab: Lab, name: string | undefined, unschedulable: boolean): Promise<string> {
  if (name === undefined) throw new UsageError('name a node')
  const patch = { spec: { unschedulable: unschedulable ? true : null } }
  await lab.ask((client) => client.patch(Node, { name }, patch, { type: 'application/merge-patch+json' }))
  return `node/${name} ${unschedulable ? 'cordoned' : 'uncordoned'}`
}

export const cordonCommand: LabCommand = {
  name: 'cordon',
  usage: 'NODE',
  run: async (lab, { words: [name] }) => [await setUnschedulable(lab, name, true)],
}

export const uncordonCommand: LabCommand = {
  name: 'uncordon',
  usage: 'NODE',
  run: async (lab, { words: [name] }) => [await setUnschedulable(lab, name, false)],
}
