// `fault apply NAME` with the spec of a Fault as its body, `fault remove NAME`.

import { parse } from 'yaml'
import { Fault } from '#kinds'
import type { LabCommand } from '../command.ts'
import { UsageError } from '../scenario-error.ts'

/** After so long a Fault is in force, or over. */
const effectMs = 1000

export const faultCommand: LabCommand = {
  name: 'fault',
  usage: 'apply NAME (body: its spec) | remove NAME',
  async run(lab, { words: [what, name], body }) {
    if (name === undefined) throw new UsageError('name the fault')
    if (what === 'remove') {
      await lab.ask((client) => client.delete(Fault, { name }))
      await lab.world.advance(effectMs)
      return [`fault "${name}" removed`]
    }
    if (what !== 'apply') throw new UsageError(`${what} is not apply or remove`)
    const spec = parse(body) as Fault['spec']
    const fault: Fault = { apiVersion: 'lab.homeostat.dev/v1alpha1', kind: 'Fault', metadata: { name }, spec }
    await lab.ask((client) => client.apply(Fault, fault, { fieldManager: 'kubectl', force: true }))
    await lab.world.advance(effectMs)
    return [`fault "${name}" applied`]
  },
}
