// Cordoned nodes take no pods, unless the pod tolerates that.

import { toleratesTaint } from '#kinds'
import { type FilterPlugin, refuseForGood } from '../plugin.ts'

const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const
const refusal = refuseForGood('node(s) were unschedulable')

export const nodeUnschedulable: FilterPlugin = {
  name: 'NodeUnschedulable',
  helpedBy: ['node'],
  prepareFilter({ spec }) {
    const tolerated = spec.tolerations?.some((toleration) => toleratesTaint(toleration, taint)) ?? false
    if (tolerated) return undefined
    return ({ node }) => (node?.spec.unschedulable === true ? refusal : undefined)
  },
}
