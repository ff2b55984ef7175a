// Cordoned nodes take no pods, unless the pod tolerates that.

import { type PodSpec, toleratesTaint } from '#kinds'
import { type FilterPlugin, hint } from '../plugin.ts'
import { toleratesMore } from '../pod-facts.ts'
import { refuseForGood } from '../refusal.ts'

const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const
const refusal = refuseForGood('node(s) were unschedulable')

const toleratesCordon = ({ tolerations }: PodSpec): boolean =>
  tolerations?.some((toleration) => toleratesTaint(toleration, taint)) ?? false

export const nodeUnschedulable: FilterPlugin = {
  name: 'NodeUnschedulable',
  ofNode: true,
  helpedBy: [
    hint('nodeAdded', ({ spec }, { object }) => object.spec.unschedulable !== true || toleratesCordon(spec)),
    hint(
      'nodeTaints',
      (_pod, { object, old }) => object.spec.unschedulable !== true && old?.spec.unschedulable === true,
    ),
    hint('podItself', (_pod, { pod, before }) => toleratesMore(pod, before) && toleratesCordon(pod.spec)),
  ],
  prepareFilter({ spec }) {
    if (toleratesCordon(spec)) return undefined
    return ({ node }) => (node?.spec.unschedulable === true ? refusal : undefined)
  },
}
