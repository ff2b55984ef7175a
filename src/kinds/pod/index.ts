// Pod (v1).

import { Pod, type PodSpec } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { addressWarnings } from '../network/forms.ts'
import { ownDefaults } from '../podspec/defaults.ts'
import { hostnameWarnings, podWarnings } from '../podspec/warnings.ts'
import { withDefaults } from '../sharing.ts'
import { appArmorWarnings } from './apparmor.ts'
import { podColumns, podRowConditions } from './columns.ts'
import { preparePodForCreate, preparePodForStatusUpdate, preparePodForUpdate } from './prepare.ts'
import { validatePodStatus } from './status.ts'
import { validatePodUpdate } from './update.ts'
import { validatePod } from './validate.ts'

const emptySpec = { containers: [] } as PodSpec

/** A pod that runs nowhere, or has ended, is deleted at once; others get the time that was asked for, or their own. */
function gracePeriodSeconds({ spec, status }: Pod, requested: number | undefined): number {
  const period = requested ?? spec.terminationGracePeriodSeconds ?? 0
  if (!spec.nodeName || status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0
  return period < 0 ? 1 : period
}

function creationWarnings(pod: Pod): readonly string[] {
  const { spec, metadata } = pod
  return [
    ...appArmorWarnings(pod),
    ...hostnameWarnings(metadata.name, "the Pod's hostname"),
    ...podWarnings(spec, metadata),
  ]
}

export const podRules: KindRules<Pod> = {
  kind: Pod,
  metaOnUpdate: 'um',
  defaults: (pod) => withDefaults(pod, { spec: ownDefaults(pod.spec ?? emptySpec) }),
  prepareForCreate: preparePodForCreate,
  prepareForUpdate: preparePodForUpdate,
  prepareForStatusUpdate: preparePodForStatusUpdate,
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  validateStatusUpdate: validatePodStatus,
  warnings: (pod, old) => (old === undefined ? creationWarnings(pod) : []),
  statusWarnings: ({ status }) =>
    (['podIPs', 'hostIPs'] as const).flatMap((list) =>
      (status?.[list] ?? []).flatMap(({ ip }, i) => addressWarnings(ip, `status.${list}[${i}].ip`)),
    ),
  columns: podColumns,
  rowConditions: podRowConditions,
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    // What old clients say.
    'spec.host': ({ spec }) => spec.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec.hostNetwork ?? false),
    'status.phase': ({ status }) => status?.phase ?? '',
    'status.podIP': ({ status }) => status?.podIPs?.[0]?.ip ?? status?.podIP ?? '',
    // May be named, but no pod has it.
    'status.podIPs': () => '',
    'status.nominatedNodeName': ({ status }) => status?.nominatedNodeName ?? '',
  },
  gracePeriodSeconds,
}
