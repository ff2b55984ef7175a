// A deletion in progress: whose turn it is to let go, and of what. Pure.

import type { AnyObject, KubeObject } from '#objects'
import { type ConditionLike, describeCondition, describeObject, type Finding, sinceTime } from './finding.ts'

/** Finalizers of Kubernetes and Argo CD, and what whoever set them waits for. */
const known: readonly (readonly [string, string, string])[] = [
  ['foregroundDeletion', 'garbage collector', 'its dependents go first'],
  ['orphan', 'garbage collector', 'its dependents lose their owner first'],
  ['kubernetes.io/pvc-protection', 'pvcprotection controller', 'no pod may use it any more'],
  ['kubernetes.io/pv-protection', 'pvprotection controller', 'no claim may be bound to it any more'],
  ['customresourcecleanup.apiextensions.k8s.io', 'API server', 'its custom objects go first'],
  ['service.kubernetes.io/load-balancer-cleanup', 'service-load-balancer', 'its load balancer is taken down first'],
  ['batch.kubernetes.io/job-tracking', 'job controller', 'the Job counts it first'],
  [
    'resources-finalizer.argocd.argoproj.io',
    'application controller',
    'the resources of the application are deleted first',
  ],
]

/** A deletion in progress; undefined when the object is not being deleted. */
export function explainDeletion(object: AnyObject): Finding | undefined {
  const { deletionTimestamp, finalizers = [], namespace, name = '' } = object.metadata
  if (deletionTimestamp === undefined) return undefined
  if (object.kind === 'Namespace') return emptyingNamespace(object)
  const loops = finalizers.map((finalizer) => known.find(([of]) => finalizer.startsWith(of)))
  const strangers = finalizers.filter((_, i) => loops[i] === undefined)
  const [ours] = loops.filter((loop) => loop !== undefined)
  const [, loop = 'API server', why] = ours ?? []
  const where = `${object.kind.toLowerCase()}/${name}${namespace === undefined ? '' : ` -n ${namespace}`}`
  return {
    state: strangers.length > 0 ? 'stuck' : 'progressing',
    loop: strangers.length > 0 ? `the owners of its finalizers: ${strangers.join(', ')}` : loop,
    object: describeObject(object),
    gap:
      strangers.length > 0
        ? `it is being deleted and goes when its finalizers are gone: ${strangers.join(', ')}`
        : `it is being deleted${why === undefined ? '' : `: ${why}`}`,
    ...sinceTime(deletionTimestamp),
    evidence: [
      `metadata.deletionTimestamp is ${deletionTimestamp}`,
      `metadata.finalizers: ${finalizers.join(', ') || 'none'}`,
    ],
    ...(strangers.length > 0
      ? {
          advice: `Bring back whoever set the finalizer; if that is gone for good: kubectl patch ${where} --type=merge -p '{"metadata":{"finalizers":null}}'`,
        }
      : {}),
  }
}

/** A namespace goes when all that is in it has gone: its conditions say what has not. */
function emptyingNamespace(object: AnyObject): Finding {
  const { conditions = [] } = (object.status ?? {}) as { readonly conditions?: readonly ConditionLike[] }
  const remains = conditions.filter(({ status }) => status === 'True')
  const held = remains.find(({ type }) => type === 'NamespaceFinalizersRemaining')
  const failing = remains.find(({ type }) => /Failure$/.test(type))
  const left = remains.find(({ type }) => type === 'NamespaceContentRemaining')
  const kinds = [...(left?.message ?? '').matchAll(/([a-z0-9.-]{1,253})\. has \d+ resource/g)].map(([, kind]) => kind)
  const list = `kubectl get ${kinds.join(',') || 'all'} -n ${object.metadata.name ?? ''}`
  const why = (failing ?? held ?? left)?.message
  return {
    state: held === undefined && failing === undefined ? 'progressing' : 'stuck',
    loop: held === undefined || failing !== undefined ? 'namespace controller' : 'the owners of the finalizers in it',
    object: describeObject(object),
    gap: `it is being deleted and goes when everything in it is gone${why === undefined ? '' : `: ${why}`}`,
    ...sinceTime(object.metadata.deletionTimestamp),
    evidence: remains.map(describeCondition),
    ...(failing === undefined && held === undefined
      ? {}
      : {
          advice:
            failing === undefined
              ? `Bring back whoever set these finalizers, or take them off by hand; ${list} shows the objects.`
              : 'Mend the APIService or definition that cannot be listed, or delete it: nothing is deleted before all kinds are known.',
        }),
  }
}

export const isEnding = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined
