// Whether the scheduler may use a node: what cordoning and draining begin with.

import { Node } from '#kinds'
import type { Lab } from './lab.ts'
import { UsageError } from './scenario-error.ts'

export async function setUnschedulable(lab: Lab, name: string | undefined, unschedulable: boolean): Promise<string> {
  if (name === undefined) throw new UsageError('name a node')
  const patch = { spec: { unschedulable: unschedulable ? true : null } }
  await lab.ask((client) =>
    client.patch(Node, { name: lab.names.real('', name) }, patch, { type: 'application/merge-patch+json' }),
  )
  return `node/${name} ${unschedulable ? 'cordoned' : 'uncordoned'}`
}
