// What a Probe has met: whether requests are answered now, and which failed before.

import type { TrafficProbe } from '#kinds'
import { conditionOf, describeObject, type Finding } from './finding.ts'

export function explainProbe(probe: TrafficProbe): Finding {
  const { status = {}, spec } = probe
  const { total = 0, failed = 0, failures = [], lastFailure } = status
  const condition = conditionOf(status.conditions, 'Succeeding')
  const object = describeObject(probe)
  const evidence = [
    `${failed} of ${total} requests failed since ${status.since ?? 'it began'}`,
    ...failures.map(({ reason, count, lastTime }) => `${count} ${reason}, the last one at ${lastTime}`),
    ...(lastFailure?.endpoint === undefined ? [] : [`the last one was sent to ${lastFailure.endpoint}`]),
  ]
  if (condition?.status === 'True')
    return { state: 'converged', loop: 'none', object, gap: 'requests are answered', evidence }
  if (condition?.status !== 'False')
    return { state: 'progressing', loop: 'probe', object, gap: condition?.message ?? 'nothing was sent yet', evidence }
  const { service, namespace = 'default', host = '', port } = spec.target
  const name = `${service === undefined ? host : `${service}.${namespace}`}${port === undefined ? '' : `:${port}`}`
  return {
    state: 'stuck',
    loop: 'whoever keeps the endpoints of its target',
    object,
    gap: condition.message ?? 'requests fail',
    evidence,
    advice: `homeostat route ${name} --from ${lastFailure?.node ?? 'NODE'} shows the way step by step.`,
  }
}
