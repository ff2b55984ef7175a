// `cordon NODE` and `uncordon NODE`: whether the scheduler may use it.

import type { LabCommand } from '../command.ts'
import { setUnschedulable } from '../schedulable.ts'

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
