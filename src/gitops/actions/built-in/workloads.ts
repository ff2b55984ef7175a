// Actions of Deployments, StatefulSets and DaemonSets, as `kubectl rollout` and `kubectl scale` do them.

import { type AnyObject, formatTime } from '#objects'
import { ActionFault } from '../action.ts'
import { type BuiltInAction, patchSpec, specOf } from './action.ts'

const restartedAt = 'kubectl.kubernetes.io/restartedAt'

interface Template {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> }
}

const isPaused = (object: AnyObject): boolean => specOf(object)['paused'] === true

/** New pods for all: their template says when they were asked for. */
const restart: BuiltInAction = {
  name: 'restart',
  displayName: 'Restart',
  iconClass: 'fa fa-fw fa-redo',
  run(object, { now }) {
    const template = (specOf(object)['template'] ?? {}) as Template
    const annotations = { ...template.metadata?.annotations, [restartedAt]: formatTime(now) }
    return patchSpec(object, { template: { ...template, metadata: { ...template.metadata, annotations } } })
  },
}

const scale: BuiltInAction = {
  name: 'scale',
  displayName: 'Scale',
  iconClass: 'fa fa-fw fa-arrows-alt-v',
  parameters: (object) => [{ name: 'replicas', default: String(specOf(object)['replicas'] ?? 1) }],
  run(object, { parameters: { replicas = '' } }) {
    if (!/^\d{1,9}$/.test(replicas))
      throw new ActionFault(
        'invalid',
        `scale: replicas must be a whole number from 0 on, not ${JSON.stringify(replicas)}`,
      )
    return patchSpec(object, { replicas: Number(replicas) })
  },
}

export const deploymentActions: readonly BuiltInAction[] = [
  // Nothing would come of it before the Deployment goes on; kubectl refuses it too.
  { ...restart, isDisabled: isPaused },
  {
    name: 'pause',
    displayName: 'Pause',
    iconClass: 'fa fa-fw fa-pause-circle',
    isDisabled: isPaused,
    run: (object) => patchSpec(object, { paused: true }),
  },
  {
    name: 'resume',
    displayName: 'Resume',
    iconClass: 'fa fa-fw fa-play-circle',
    isDisabled: (object) => !isPaused(object),
    run: (object) => patchSpec(object, { paused: false }),
  },
  scale,
]
export const statefulSetActions: readonly BuiltInAction[] = [restart, scale]
export const daemonSetActions: readonly BuiltInAction[] = [restart]
