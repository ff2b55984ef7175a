// What a node reports of itself, or that it has stopped to. Pure.

import type { Node } from '#kinds'
import { conditionOf, describeCondition, describeObject, type Finding, sinceTime } from './finding.ts'

const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable']

export function explainNode(node: Node): Finding {
  const { name = '' } = node.metadata
  const conditions = node.status?.conditions ?? []
  const taints = (node.spec?.taints ?? []).map(
    ({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`,
  )
  const ready = conditionOf(conditions, 'Ready')
  const troubled = conditions.filter(({ type, status }) => pressures.includes(type) && status !== 'False')
  const common = {
    object: describeObject(node),
    loop: `kubelet on ${name}`,
    evidence: [
      ...(ready === undefined || ready.status === 'True' ? [] : [describeCondition(ready)]),
      ...troubled.map(describeCondition),
      ...(taints.length === 0 ? [] : [`spec.taints: ${taints.join(', ')}`]),
    ],
  }
  if (ready?.status === 'Unknown')
    return {
      ...common,
      state: 'stuck',
      gap: 'its kubelet has stopped reporting: nobody knows what runs on it',
      ...sinceTime(ready.lastTransitionTime),
      advice:
        'Bring the machine back. If it is off for good: kubectl taint nodes NAME node.kubernetes.io/out-of-service=nodeshutdown:NoExecute lets its pods and volumes go.'.replace(
          'NAME',
          name,
        ),
    }
  const bad = ready?.status === 'True' ? troubled.find(({ status }) => status === 'True') : ready
  if (bad !== undefined)
    return {
      ...common,
      state: 'stuck',
      gap: `it reports ${bad.type}=${bad.status}: ${bad.message || bad.reason || ''}`,
      ...sinceTime(bad.lastTransitionTime),
    }
  if (ready === undefined) return { ...common, state: 'progressing', gap: 'its kubelet has not reported yet' }
  if (node.spec?.unschedulable === true)
    return {
      ...common,
      state: 'converged',
      loop: 'none',
      gap: 'it is Ready and cordoned: no pod is placed on it',
      advice: `kubectl uncordon ${name}`,
    }
  return { ...common, state: 'converged', loop: 'none', gap: 'it is Ready' }
}
