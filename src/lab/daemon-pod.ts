// Pods that a drain leaves where they are.

import type { Pod } from '#kinds'

export const isDaemonPod = ({ metadata }: Pod): boolean =>
  metadata.ownerReferences?.some(({ kind, controller }) => kind === 'DaemonSet' && controller === true) === true
