// How long kubelets may keep Secrets and ConfigMaps, by the number of nodes: the larger the cluster, the longer. Steps
// overlap, so that a cluster at a border does not go to and fro. Pure. Follows Kubernetes' ttl controller.

export const ttlAnnotation = 'node.alpha.kubernetes.io/ttl'

interface Step {
  readonly from: number
  readonly to: number
  readonly seconds: number
}

const steps: readonly Step[] = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1000, seconds: 30 },
  { from: 900, to: 2000, seconds: 60 },
  { from: 1800, to: Number.POSITIVE_INFINITY, seconds: 300 },
]

/** `current` is what the node says now. */
export function decideTtl(nodes: number, current: string | undefined): string {
  const known = steps.findIndex(({ seconds }) => String(seconds) === current)
  let at = Math.max(0, known)
  while (nodes > (steps[at]?.to ?? 0)) at += 1
  while (nodes < (steps[at]?.from ?? 0)) at -= 1
  return String(steps[at]?.seconds ?? 0)
}
