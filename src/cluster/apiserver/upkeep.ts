// What the server keeps up while it runs: the namespaces of the system, the configuration of flow control, the range that it
// hands addresses out from, the Service by which it is found, since when uses of tokens in Secrets are noted. As with
// kube-apiserver, a look every so often since its start; when nobody has touched what is kept up there is nothing to look at,
// and no timer.

import {
  ConfigMap,
  EndpointSlice,
  Endpoints,
  FlowSchema,
  type Kind,
  Namespace,
  PriorityLevelConfiguration,
  Service,
  ServiceCIDR,
} from '#kinds'
import type { KubeObject } from '#objects'
import type { Cancel } from '#world'
import { ownCidrName } from './allocators/services.ts'
import { ensureTracking, trackingKey } from './auth/legacy-tokens.ts'
import type { Core } from './core.ts'
import { ensureObject } from './ensure-object.ts'
import { flowControl } from './flow-control/configuration.ts'
import { ensureFlowControl } from './flow-control/ensure.ts'
import type { HookTable } from './hooks.ts'
import { ensureOwnService, ownServiceKey } from './own-service.ts'

const systemNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

export function ensureSystemNamespaces(core: Core): void {
  for (const name of systemNamespaces)
    ensureObject(core, Namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    } as KubeObject)
}

interface Duty {
  readonly everyMs: number
  readonly ensure: (core: Core) => void
  /** What a write of makes the next look due. */
  readonly kept: readonly (readonly [kind: Kind, keys: readonly string[]])[]
}

const duties: readonly Duty[] = [
  { everyMs: 60_000, ensure: ensureSystemNamespaces, kept: [[Namespace, systemNamespaces]] },
  {
    everyMs: 60_000,
    ensure: ensureFlowControl,
    kept: [FlowSchema, PriorityLevelConfiguration].map(
      (kind) => [kind, flowControl.filter((kept) => kept.kind === kind).map(({ name }) => name)] as const,
    ),
  },
  { everyMs: 1_800_000, ensure: ensureTracking, kept: [[ConfigMap, [trackingKey]]] },
  {
    everyMs: 10_000,
    ensure: ensureOwnService,
    kept: [
      [ServiceCIDR, [ownCidrName]],
      [Service, [ownServiceKey]],
      [Endpoints, [ownServiceKey]],
      [EndpointSlice, [ownServiceKey]],
    ],
  },
]

/** From now on; what was written before is in order. */
export function keepUp(core: Core, hooks: HookTable): void {
  const startedAt = core.world.clock.now()
  for (const { everyMs, ensure, kept } of duties) {
    let due: Cancel | undefined
    const touched = (): void => {
      const afterMs = everyMs - ((core.world.clock.now() - startedAt) % everyMs)
      due ??= core.world.clock.after(afterMs, 'upkeep of the server', () => {
        ensure(core)
        due = undefined
      })
    }
    for (const [kind, keys] of kept) {
      const served = core.registry.find(kind)
      if (served === undefined) continue
      hooks.add(served.bucket, {
        wrote(current, previous) {
          if (keys.includes((current ?? previous)?.key ?? '')) touched()
        },
      })
    }
    core.onClose.add(() => due?.())
  }
}
