// The objects that a fresh cluster has before anyone created one: made at start where they are missing, as
// kube-apiserver's own controllers do.

import { APIService, CustomResourceDefinition, installedDefinitions, PriorityClass } from '#kinds'
import { type AnyObject, isEqual, type KubeObject } from '#objects'
import { ensureTracking } from './auth/legacy-tokens.ts'
import { ensurePolicy } from './auth/policy/ensure.ts'
import type { Core } from './core.ts'
import { decideStatus } from './crd/conditions.ts'
import { ensureObject } from './ensure-object.ts'
import { judgeSchemas } from './flow-control/dangling.ts'
import { ensureFlowControl } from './flow-control/ensure.ts'
import { metricsService } from './metrics/resources.ts'
import { withMetadata } from './object-meta.ts'
import { ensureOwnService } from './own-service.ts'
import { rewrite } from './rewrite.ts'
import type { Served } from './served.ts'
import { ensureSystemNamespaces } from './upkeep.ts'

const priorities = [
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
]

export function bootstrap(core: Core): void {
  // However many roles there are, the numbers that others draw stay the same.
  const withOwnChance = { ...core, random: core.random.fork('policy') }
  ensureSystemNamespaces(core)
  for (const { name, value, description } of priorities) {
    ensureObject(core, PriorityClass, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description,
      preemptionPolicy: 'PreemptLowerPriority',
    } as KubeObject)
  }
  ensurePolicy(core, core.options.grants, ({ kind, object }) => ensureObject(withOwnChance, kind, object))
  ensureOwnService(core)
  ensureTracking(core)
  ensureFlowControl({ ...core, random: core.random.fork('flow control') })
  judgeSchemas(core)
  if (core.options.metrics !== undefined) ensureObject(core, APIService, metricsService)
  if (core.options.installDefinitions === false) return
  for (const definition of installedDefinitions) install(core, definition)
}

/** Our own definitions are always those of this version of the program. */
function install(core: Core, definition: CustomResourceDefinition): void {
  const served = core.registry.find(CustomResourceDefinition)
  if (served === undefined) return
  const name = definition.metadata.name ?? ''
  const entry = core.store.get(served.bucket, name)
  if (entry === undefined) {
    ensureObject(core, CustomResourceDefinition, definition)
    accept(core, served, name)
    return
  }
  const wanted = served.strategy.defaults(definition as unknown as AnyObject)
  const generation = (entry.value.metadata.generation ?? 0) + 1
  if (isEqual(wanted['spec'], entry.value['spec'])) return
  rewrite(core, served, entry, withMetadata({ ...entry.value, spec: wanted['spec'] }, { generation }))
}

/** Served from the first moment on: loops ask for these kinds as soon as they start. */
function accept(core: Core, served: Served, name: string): void {
  const entry = core.store.get(served.bucket, name)
  if (entry === undefined) return
  const others = core.store.list(served.bucket).entries.map(({ value }) => value)
  rewrite(core, served, entry, { ...entry.value, status: decideStatus(entry.value, others, core.timestamp()) })
}
