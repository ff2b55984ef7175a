// Which group of the server's own stands before which in discovery, and which version within it: the highest number first
// (kube-apiserver's table). Groups of definitions come after all of them.

export interface Priority {
  readonly group: number
  readonly version: number
}

const usual = 15

const groups: Readonly<Record<string, number>> = {
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'apiextensions.k8s.io': 16_700,
  'admissionregistration.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
}

const versions: Readonly<Record<string, number>> = {
  '/v1': 1,
  'autoscaling/v2': 30,
  'flowcontrol.apiserver.k8s.io/v1': 21,
}

/** Undefined for a group that is not the server's own, and for the one that APIServices themselves are in. */
export function builtInPriority(group: string, version: string): Priority | undefined {
  const first = groups[group]
  return first === undefined ? undefined : { group: first, version: versions[`${group}/${version}`] ?? usual }
}

/** Of the group that APIServices are in, which has none itself. */
export const registrationPriority: Priority = { group: 20_000, version: 0 }

export const customPriority: Priority = { group: 1000, version: 100 }
