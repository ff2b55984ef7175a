// The actions that come with the house, by `group/Kind`: those of Argo CD for kinds that this cluster runs. Pure.

import { type AnyObject, groupOf } from '#objects'
import type { ResourceAction } from '../action.ts'
import type { BuiltInAction } from './action.ts'
import { applicationActions } from './application.ts'
import { cronJobActions, jobActions } from './jobs.ts'
import { daemonSetActions, deploymentActions, statefulSetActions } from './workloads.ts'

const table: Readonly<Record<string, readonly BuiltInAction[]>> = {
  'apps/Deployment': deploymentActions,
  'apps/StatefulSet': statefulSetActions,
  'apps/DaemonSet': daemonSetActions,
  'batch/CronJob': cronJobActions,
  'batch/Job': jobActions,
  'argoproj.io/Application': applicationActions,
}

export const builtInActions = (object: AnyObject): readonly BuiltInAction[] =>
  table[`${groupOf(object.apiVersion)}/${object.kind}`] ?? []

/** The action as it is offered for the object. */
export function offered(action: BuiltInAction, object: AnyObject): ResourceAction {
  const { name, displayName, iconClass, isDisabled, parameters } = action
  return {
    name,
    ...(isDisabled?.(object) === true ? { disabled: true } : {}),
    displayName,
    iconClass,
    ...(parameters === undefined ? {} : { params: parameters(object) }),
  }
}
