// What single resources do beside being stored, each in one place: who may write roles, addresses and ports of Services,
// certificates, devices, metrics, the end of Events.

import { isSystemClass } from '#kinds'
import { writeIpAddresses } from './allocators/ip-addresses.ts'
import { cidrBucket, defaultRanges, ServiceAllocator } from './allocators/services.ts'
import { escalationChecks } from './auth/escalation.ts'
import { bindingBuckets } from './auth/judge.ts'
import type { Core } from './core.ts'
import { deviceAccessHooks } from './device-access.ts'
import { forbiddenError } from './errors.ts'
import { EventExpiry } from './event-expiry.ts'
import type { HookTable } from './hooks.ts'
import { discoverSeries, seriesBucket } from './metrics/custom.ts'
import { signingRequestHooks } from './signing-requests.ts'

const eventRef = { group: '', version: 'v1', resource: 'events' } as const

export function addHooks(core: Core, hooks: HookTable): void {
  for (const [bucket, reserve] of Object.entries(escalationChecks(core))) {
    const isBinding = bindingBuckets.includes(bucket)
    hooks.add(bucket, isBinding ? { reserve, wrote: () => core.access.roles.bindingsChanged() } : { reserve })
  }
  const services = new ServiceAllocator(core.random.fork('services'), {
    cidr: core.options.serviceCidr ?? defaultRanges.cidr,
    nodePorts: core.options.nodePortRange ?? defaultRanges.nodePorts,
  })
  services.restore(core.store)
  hooks.add('services', {
    reserve: (occasion, object, old) => services.reserve(occasion, object, old),
    wrote(current, previous) {
      services.wrote(current, previous)
      writeIpAddresses(core, current, previous)
    },
  })
  hooks.add(cidrBucket, { wrote: () => services.followRanges(core.store) })
  hooks.add('certificatesigningrequests.certificates.k8s.io', signingRequestHooks)
  for (const [bucket, own] of Object.entries(deviceAccessHooks(core))) hooks.add(bucket, own)
  hooks.add('priorityclasses.scheduling.k8s.io', {
    checkDelete({ served: { info }, name }) {
      if (isSystemClass(name)) throw forbiddenError(info, name, 'this is a system priority class and cannot be deleted')
    },
  })
  hooks.add(seriesBucket, { wrote: () => discoverSeries(core) })
  discoverSeries(core)
  const events = core.registry.find(eventRef)
  if (events !== undefined) {
    const expiry = new EventExpiry(core, events)
    expiry.restore()
    hooks.add(events.bucket, expiry)
    core.onClose.add(() => expiry.close())
  }
}
