// `show losses PROBE`: which share of the requests of a Probe failed, roughly. The very number is another in every
// interleaving.

import { TrafficProbe } from '#kinds'
import type { Lab } from './lab.ts'
import { UsageError } from './scenario-error.ts'

const limits = [1, 10, 50, 100]

export async function showLosses(lab: Lab, name: string | undefined): Promise<readonly string[]> {
  if (name === undefined) throw new UsageError('name the Probe')
  const { status = {} } = await lab.ask((client) => client.get(TrafficProbe, { name }))
  const { total = 0, failed = 0, conditions = [] } = status
  const now = conditions.find(({ type }) => type === 'Succeeding')?.reason ?? 'nothing is told yet'
  if (total === 0) return [`probe/${name}: no request was sent (${now})`]
  const limit = limits.find((one) => (100 * failed) / total < one)
  const share = failed === 0 ? 'no request' : limit === undefined ? 'every request' : `under ${limit} % of the requests`
  return [`probe/${name}: ${share} failed; now ${now}`]
}
