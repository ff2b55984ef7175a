// Which labels a kubelet may not give its own Node (kubelet/pkg/apis well_known_labels.go): those of Kubernetes but for the
// few that it knows itself, and all under node-restriction.kubernetes.io.

const own: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
])
const ownPrefixes = ['kubelet.kubernetes.io', 'node.kubernetes.io']

const isUnder = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`)

function isRestricted(label: string): boolean {
  const slash = label.indexOf('/')
  const domain = slash < 0 ? '' : label.slice(0, slash)
  if (isUnder(domain, 'node-restriction.kubernetes.io')) return true
  if (!isUnder(domain, 'kubernetes.io') && !isUnder(domain, 'k8s.io')) return false
  return !own.has(label) && !ownPrefixes.some((prefix) => isUnder(domain, prefix))
}

type Labels = Readonly<Record<string, string>>

/** Labels that were added, changed or taken away and are not the node's to touch, in order. */
export const restrictedLabels = (now: Labels, before: Labels): readonly string[] =>
  [...new Set([...Object.keys(now), ...Object.keys(before)])]
    .filter((label) => now[label] !== before[label] && isRestricted(label))
    .sort()
