// Runs the Probes: sends their requests through the tables and tells what was counted, at most every five seconds while
// requests fail and every minute while nothing happens. What was sent since the last report is all that it keeps.
// Reads: Probe, Service, EndpointSlice, Node, Pod.  Writes: Probe.status, Events.

import { EndpointSlice, Node, Pod, Service, TrafficProbe } from '#kinds'
import { isEqual, objectKey } from '#objects'
import {
  type Cache,
  done,
  type Kit,
  type LoopDefinition,
  type Outcome,
  recordEvent,
  requeueAfter,
  watching,
} from '#reconcile'
import { servicesOfSlice } from '../proxy.ts'
import { Campaign, type Trade } from './campaign.ts'
import { originPod } from './origins.ts'
import { decideStatus } from './tally.ts'

const whileFailingMs = 5000
const whileChangingMs = 10_000
const whileQuietMs = 60_000

const none: readonly string[] = []

export function probeLoop(trade: Trade): LoopDefinition {
  let campaigns = new Map<string, Campaign>()
  let from: Cache | undefined
  let wake: (key: string) => void = () => {}
  const those = (concerned: (campaign: Campaign) => boolean): readonly string[] => {
    if (campaigns.size === 0) return none
    const keys: string[] = []
    for (const [key, campaign] of campaigns) if (concerned(campaign)) keys.push(key)
    return keys
  }
  const all = (): readonly string[] => those(() => true)
  trade.network.onTraffic((pod) => {
    for (const key of those((campaign) => campaign.leansOn(objectKey(pod)))) wake(key)
  })
  trade.proxy.onSilence(() => {
    for (const key of all()) wake(key)
  })
  return {
    name: 'probe',
    user: 'system:homeostat:probe',
    manager: 'homeostat',
    reconciles: TrafficProbe,
    watches: [
      watching(TrafficProbe, (probe, old) =>
        old !== undefined && probe.spec === old.spec ? none : [objectKey(probe)],
      ),
      watching(Service, (service) => those(({ services }) => services.has(objectKey(service)))),
      watching(EndpointSlice, (slice, old) =>
        campaigns.size === 0
          ? none
          : servicesOfSlice(slice, old).flatMap((key) => those(({ services }) => services.has(key))),
      ),
      watching(Node, ({ metadata }, old) => (isEqual(metadata.labels, old?.metadata.labels) ? none : all())),
      watching(Pod, (pod) =>
        campaigns.size === 0 ? none : those(({ probe }) => originPod(probe.spec) === objectKey(pod)),
      ),
    ],
    wakes: (call) => {
      wake = call
      return () => {
        wake = () => {}
      }
    },
    workers: 4,
    async reconcile(key, kit) {
      if (from !== kit.cache) {
        from = kit.cache
        campaigns = new Map()
      }
      const probe = kit.cache.get(TrafficProbe, key)
      if (probe === undefined) {
        campaigns.delete(key)
        return done()
      }
      const known = campaigns.get(key)
      const goesOn =
        known?.probe.metadata.uid === probe.metadata.uid &&
        known?.probe.metadata.generation === probe.metadata.generation
      const campaign = known !== undefined && goesOn ? known : new Campaign(probe, kit, trade)
      campaigns.set(key, campaign)
      return keepProbe(campaign, probe, kit)
    },
  }
}

async function keepProbe(campaign: Campaign, probe: TrafficProbe, kit: Kit): Promise<Outcome> {
  campaign.advance()
  const now = kit.world.clock.now()
  const due = reportDueAt(campaign)
  if (now >= due) await report(campaign, probe, kit)
  const nextAt = Math.min(campaign.nextLookAt(), reportDueAt(campaign))
  return nextAt === Number.POSITIVE_INFINITY ? done() : requeueAfter(Math.max(0, nextAt - now))
}

function reportDueAt({ toldAt, toldFailed, tally, isSettled }: Campaign): number {
  if (tally.failed > toldFailed) return toldAt + whileFailingMs
  return toldAt + (isSettled ? whileQuietMs : whileChangingMs)
}

async function report(campaign: Campaign, probe: TrafficProbe, kit: Kit): Promise<void> {
  const now = kit.world.clock.now()
  const { tally, origins } = campaign
  const status = decideStatus({ probe, tally, origins: origins.length, now })
  const isSame = isEqual({ ...status, until: probe.status?.until }, probe.status)
  if (!isSame) await kit.client.updateStatus(TrafficProbe, { ...probe, status })
  const failed = tally.failed - campaign.toldFailed
  campaign.toldAt = now
  campaign.toldFailed = tally.failed
  const { lastFailure } = tally
  if (failed === 0 || lastFailure === undefined) return
  const message = `${failed} request${failed === 1 ? '' : 's'} failed: ${lastFailure.message}`
  recordEvent(kit, { object: probe, component: 'probe', type: 'Warning', reason: lastFailure.reason, message })
}
