// Pods that a kubelet starts from the manifests in its folder, and their mirrors, which show them in the API. Pure
// (kubelet/config/common.go, pod/mirror_client.go).

import { builtInSchema, kindRules, type Node, type Pod, type PodSpec } from '#kinds'
import { applySchemaDefaults, formatMicroTime, type JsonObject, objectKey } from '#objects'
import { digestOf } from '../ground/digest.ts'
import type { NodeFacts } from './node-facts.ts'

const hashAnnotation = 'kubernetes.io/config.hash'
const mirrorAnnotation = 'kubernetes.io/config.mirror'
const sourceAnnotation = 'kubernetes.io/config.source'
const seenAnnotation = 'kubernetes.io/config.seen'

/** What a mirror stands for: the hash of its manifest. */
export const mirroredHash = ({ metadata }: Pod): string | undefined => metadata.annotations?.[mirrorAnnotation]

export const isStatic = ({ metadata }: Pod): boolean =>
  metadata.annotations?.[sourceAnnotation] !== undefined && metadata.annotations[mirrorAnnotation] === undefined

const isPodManifest = ({ metadata, spec }: JsonObject): boolean => {
  const { name } = (metadata ?? {}) as { readonly name?: unknown }
  const { containers } = (spec ?? {}) as { readonly containers?: unknown }
  return typeof name === 'string' && name !== '' && Array.isArray(containers) && containers.length > 0
}

const podRules = kindRules.find(({ kind }) => kind.kind === 'Pod' && kind.group === '')

/** Whatever taints its node has, a static pod stays. */
const stays = { operator: 'Exists', effect: 'NoExecute' } as const

const made = new WeakMap<JsonObject, Map<string, Pod>>()

/** The pod of a manifest on a node: named after both, and with its hash for a uid. */
function staticPod(manifest: JsonObject, nodeName: string): Pod {
  const known = made.get(manifest)?.get(nodeName)
  if (known !== undefined) return known
  const hash = digestOf(`${nodeName} ${JSON.stringify(manifest)}`).slice(7, 39)
  const { metadata, spec } = manifest as unknown as Pod
  const { name = '', namespace = 'default', labels, annotations } = metadata
  const plain: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${name}-${nodeName}`.toLowerCase(),
      namespace,
      uid: hash,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [hashAnnotation]: hash, [sourceAnnotation]: 'file' },
    },
    spec: { ...(spec as PodSpec), nodeName, tolerations: [...(spec.tolerations ?? []), stays] },
  }
  const { defaults, prepareForCreate } = (podRules ?? {}) as {
    readonly defaults?: (pod: Pod) => Pod
    readonly prepareForCreate?: (pod: Pod) => Pod
  }
  const schema = builtInSchema('', 'v1', 'Pod')
  const filled = schema === undefined ? plain : applySchemaDefaults(plain, schema)
  const complete = defaults?.(filled) ?? filled
  const pod = prepareForCreate?.(complete) ?? complete
  const byNode = made.get(manifest) ?? new Map<string, Pod>()
  made.set(manifest, byNode.set(nodeName, pod))
  return pod
}

/** By key; of two manifests for one pod the first counts. */
export function staticPodsOf({ staticPods }: NodeFacts, nodeName: string): ReadonlyMap<string, Pod> {
  const pods = new Map<string, Pod>()
  for (const manifest of staticPods) {
    if (!isPodManifest(manifest)) continue
    const pod = staticPod(manifest, nodeName)
    if (!pods.has(objectKey(pod))) pods.set(objectKey(pod), pod)
  }
  return pods
}

/** What shows the pod in the API: the same pod, owned by its node. */
export function mirrorOf({ metadata, spec, apiVersion, kind }: Pod, node: Node, seenAt: number): Pod {
  const { uid: hash = '', ...rest } = metadata
  return {
    apiVersion,
    kind,
    metadata: {
      ...rest,
      annotations: { ...rest.annotations, [seenAnnotation]: formatMicroTime(seenAt), [mirrorAnnotation]: hash },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Node',
          name: node.metadata.name ?? '',
          uid: node.metadata.uid ?? '',
          controller: true,
        },
      ],
    },
    spec,
  }
}
