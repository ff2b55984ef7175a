// The objects that a fresh cluster has before anyone created one: made at start where they are missing, as
// kube-apiserver's own controllers do.

import { CustomResourceDefinition, installedDefinitions, type Kind, Namespace, PriorityClass } from '#kinds'
import type { AnyObject, KubeObject } from '#objects'
import type { Core } from './core.ts'
import { creationOf } from './managed.ts'
import { newMetadata } from './object-meta.ts'
import { Scope } from './scope.ts'
import { keyOf, toStored } from './served.ts'

const caller = { user: 'system:apiserver', groups: ['system:masters'], userAgent: 'kube-apiserver/v1.34' }
const never = new AbortController().signal

/** Creates `object` unless its name is taken. Skips admission, as what it asks for may not exist yet. */
export function ensureObject(core: Core, kind: Kind<never> | Kind, object: KubeObject): void {
  const served = core.registry.find(kind)
  if (served === undefined) return
  const { namespace, name = '' } = object.metadata
  const key = keyOf(served, namespace, name)
  if (core.store.get(served.bucket, key) !== undefined) return
  const request = { verb: 'create', resource: kind, caller, ...(namespace === undefined ? {} : { namespace }) } as const
  const scope = new Scope(core, served, request, never)
  const incoming = served.strategy.defaults({ ...(object as AnyObject), metadata: newMetadata(scope, object.metadata) })
  const value = served.strategy.prepareForCreate(toStored(served, incoming))
  const entry = core.store.put(served.bucket, key, 0, (revision) => ({
    value: { ...value, metadata: { ...value.metadata, resourceVersion: String(revision) } },
    attachment: creationOf(scope, incoming),
  }))
  core.wrote(served, entry, undefined)
}

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

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
  for (const name of namespaces) {
    ensureObject(core, Namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    } as KubeObject)
  }
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
  for (const definition of installedDefinitions) ensureObject(core, CustomResourceDefinition, definition)
}
