// One IPAddress object for each cluster address of a Service, as Kubernetes 1.33 and later keep them. They only tell what
// the allocator knows: written after the Service was, taken away when it has gone.

import { IPAddress, type Service } from '#kinds'
import type { AnyObject, KubeObject } from '#objects'
import type { Entry } from '#store'
import type { Core } from '../core.ts'
import { ensureObject } from '../ensure-object.ts'
import { withMetadata } from '../object-meta.ts'
import { parseIpv4 } from './ipv4.ts'

const addressesOf = (service: AnyObject | undefined): readonly string[] =>
  ((service as unknown as Service | undefined)?.spec?.clusterIPs ?? []).filter((text) => parseIpv4(text) !== undefined)

export function writeIpAddresses(core: Core, current: Entry | undefined, previous: Entry | undefined): void {
  if (current?.value['spec'] === previous?.value['spec']) return
  const [now, before] = [addressesOf(current?.value), addressesOf(previous?.value)]
  for (const address of before) if (!now.includes(address)) forget(core, address)
  for (const address of now) if (!before.includes(address)) tell(core, address, current?.value)
}

function tell(core: Core, address: string, service: AnyObject | undefined): void {
  const { name = '', namespace = '' } = service?.metadata ?? {}
  ensureObject(core, IPAddress, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: {
      name: address,
      labels: {
        'ipaddress.kubernetes.io/ip-family': 'IPv4',
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
      },
    },
    spec: { parentRef: { group: '', resource: 'services', namespace, name } },
  } as KubeObject)
}

function forget(core: Core, address: string): void {
  const served = core.registry.find(IPAddress)
  const entry = served === undefined ? undefined : core.store.get(served.bucket, address)
  if (served === undefined || entry === undefined) return
  const event = core.store.delete(served.bucket, address, entry.revision, (revision) =>
    withMetadata(entry.value, { resourceVersion: String(revision) }),
  )
  core.wrote(served, undefined, event.previous)
}
