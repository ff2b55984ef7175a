// Actions of CronJobs and Jobs.

import type { AnyObject, ObjectMeta } from '#objects'
import { type BuiltInAction, patchSpec, specOf } from './action.ts'

const isSuspended = (object: AnyObject): boolean => specOf(object)['suspend'] === true

const suspend: BuiltInAction = {
  name: 'suspend',
  displayName: 'Suspend',
  iconClass: 'fa fa-fw fa-pause-circle',
  isDisabled: isSuspended,
  run: (object) => patchSpec(object, { suspend: true }),
}

const resume: BuiltInAction = {
  name: 'resume',
  displayName: 'Resume',
  iconClass: 'fa fa-fw fa-play-circle',
  isDisabled: (object) => !isSuspended(object),
  run: (object) => patchSpec(object, { suspend: false }),
}

interface JobTemplate {
  readonly metadata?: ObjectMeta
  readonly spec?: object
}

/** A Job of the CronJob's template now, whatever its schedule says; as `kubectl create job --from` makes it. */
const createJob: BuiltInAction = {
  name: 'create-job',
  displayName: 'Create Job',
  iconClass: 'fa fa-fw fa-plus',
  run(object, { now }) {
    const { name = '', namespace, uid } = object.metadata
    const template = (specOf(object)['jobTemplate'] ?? {}) as JobTemplate
    const { labels, annotations } = template.metadata ?? {}
    return [
      {
        operation: 'create',
        object: {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: {
            name: `${name}-${Math.floor(now / 1000)}`,
            ...(namespace === undefined ? {} : { namespace }),
            ...(labels === undefined ? {} : { labels }),
            annotations: { ...annotations, 'cronjob.kubernetes.io/instantiate': 'manual' },
            ownerReferences: [
              { apiVersion: object.apiVersion, kind: object.kind, name, uid: uid ?? '', controller: true },
            ],
          },
          spec: template.spec ?? {},
        },
      },
    ]
  },
}

export const cronJobActions: readonly BuiltInAction[] = [createJob, suspend, resume]

interface WithConditions {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

function isFinished(object: AnyObject): boolean {
  const { conditions = [] } = (object as WithConditions).status ?? {}
  return conditions.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True')
}

export const jobActions: readonly BuiltInAction[] = [
  { ...suspend, isDisabled: (object) => isFinished(object) || isSuspended(object) },
  { ...resume, isDisabled: (object) => isFinished(object) || !isSuspended(object) },
  {
    name: 'terminate',
    displayName: 'Terminate',
    iconClass: 'fa fa-fw fa-stop-circle',
    // A Job that is suspended has no deadline.
    isDisabled: (object) => isFinished(object) || isSuspended(object),
    run: (object) => patchSpec(object, { activeDeadlineSeconds: 1 }),
  },
]
