// Whether tolerations cover taints, as in k8s.io/component-helpers/scheduling/corev1.

import type { Taint, Toleration } from '../generated/types.ts'

export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false
  if (toleration.key && toleration.key !== taint.key) return false
  switch (toleration.operator ?? '') {
    case '':
    case 'Equal':
      return (toleration.value ?? '') === (taint.value ?? '')
    case 'Exists':
      return true
    default:
      return false
  }
}

/** The first of the taints with one of these effects that nothing tolerates. */
export function untoleratedTaint(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly string[],
): Taint | undefined {
  return taints.find(
    (taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => toleratesTaint(toleration, taint)),
  )
}
