// What can be held by one only: cluster addresses and node ports by Services, volumes by claims, a volume that is written from
// one node by that node.

import type { PersistentVolumeClaim, Service, VolumeAttachment } from '#kinds'
import type { Write } from '../../support/observer.ts'
import { as, type Invariant, idOf } from './invariant.ts'

export const holdings: Invariant = {
  name: 'holdings',
  watch: ({ fail }) => {
    const holders = new Map<string, string>()
    const hold = (write: Write, before: readonly string[], after: readonly string[]): void => {
      const id = idOf(write)
      for (const thing of before) if (!after.includes(thing) && holders.get(thing) === id) holders.delete(thing)
      for (const thing of after) {
        const holder = holders.get(thing)
        if (holder !== undefined && holder !== id) fail(`${id} holds ${thing}, and so does ${holder}`, id, holder)
        holders.set(thing, id)
      }
    }
    return {
      wrote: {
        services: (write) => hold(write, ofService(as(write.before)), ofService(as(write.after))),
        persistentvolumeclaims(write) {
          const [before, after] = [as<PersistentVolumeClaim>(write.before), as<PersistentVolumeClaim>(write.after)]
          hold(write, ofClaim(before), ofClaim(after))
          if (before?.status?.phase === 'Bound' && after?.status?.phase === 'Pending')
            fail(`${idOf(write)} was bound and is pending again`, idOf(write))
          if (before?.spec?.volumeName && after !== undefined && after.spec?.volumeName !== before.spec.volumeName)
            fail(`${idOf(write)} left its volume ${before.spec.volumeName}`, idOf(write))
        },
        'volumeattachments.storage.k8s.io': (write) =>
          hold(write, ofAttachment(as(write.before)), ofAttachment(as(write.after))),
      },
    }
  },
}

function ofService(service: Service | undefined): readonly string[] {
  const { clusterIPs = [], ports = [], healthCheckNodePort } = service?.spec ?? {}
  return [
    ...clusterIPs.filter((address) => address !== 'None').map((address) => `address ${address}`),
    // Two protocols of one Service may share a port, and so it is a set.
    ...new Set(ports.flatMap(({ nodePort }) => (nodePort ? [`node port ${nodePort}`] : []))),
    ...(healthCheckNodePort ? [`node port ${healthCheckNodePort}`] : []),
  ]
}

const ofClaim = (claim: PersistentVolumeClaim | undefined): readonly string[] =>
  claim?.spec?.volumeName ? [`volume ${claim.spec.volumeName}`] : []

/** The simulations' volumes are all written from one node at a time. */
const ofAttachment = (attachment: VolumeAttachment | undefined): readonly string[] =>
  attachment?.status?.attached === true ? [`attached ${attachment.spec.source.persistentVolumeName}`] : []
