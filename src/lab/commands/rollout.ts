// `rollout undo KIND/NAME`: the template of the ReplicaSet before the newest one. `rollout restart KIND/NAME`: the same
// template with the time in an annotation.

import { Deployment, ReplicaSet } from '#kinds'
import { formatTime } from '#objects'
import type { LabCommand } from '../command.ts'
import type { Lab, Target } from '../lab.ts'
import { UsageError } from '../scenario-error.ts'

const merge = { type: 'application/strategic-merge-patch+json' } as const
const revisionKey = 'deployment.kubernetes.io/revision'

export const rolloutCommand: LabCommand = {
  name: 'rollout',
  usage: 'undo|restart KIND/NAME [-n NAMESPACE]',
  async run(lab, { words: [what, text], options }) {
    const target = await lab.target(text, options.get('namespace'))
    if (what === 'undo') await undo(lab, target)
    else if (what === 'restart') await restart(lab, target)
    else throw new UsageError(`${what ?? 'nothing'} is not undo or restart`)
    return [`${target.kind.kind.toLowerCase()}/${target.ref.name} ${what === 'undo' ? 'rolled back' : 'restarted'}`]
  },
}

async function restart(lab: Lab, { kind, ref }: Target): Promise<void> {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': formatTime(lab.world.clock.now()) }
  const patch = { spec: { template: { metadata: { annotations } } } }
  await lab.ask((client) => client.patch(kind, ref, patch, merge))
}

const revisionOf = ({ metadata }: ReplicaSet): number => Number(metadata.annotations?.[revisionKey] ?? 0)

async function undo(lab: Lab, { kind, ref }: Target): Promise<void> {
  if (kind.kind !== 'Deployment') throw new UsageError('only Deployments can be rolled back here')
  const deployment = await lab.ask((client) => client.get(Deployment, ref))
  const { items } = await lab.ask((client) => client.list(ReplicaSet, { namespace: ref.namespace ?? 'default' }))
  const own = items.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ uid }) => uid === deployment.metadata.uid),
  )
  const before = own.toSorted((a, b) => revisionOf(b) - revisionOf(a))[1]
  const template = before?.spec.template
  if (template === undefined) throw new UsageError(`${ref.name} has no earlier revision`)
  const { 'pod-template-hash': _, ...labels } = template.metadata?.labels ?? {}
  const value = { ...template, metadata: { ...template.metadata, labels } }
  const patch = [{ op: 'replace', path: '/spec/template', value }]
  await lab.ask((client) => client.patch(Deployment, ref, patch, { type: 'application/json-patch+json' }))
}
