// Creates and deletes the pods of an owner, with the Events that Kubernetes' RealPodControl records. Creation starts
// slowly (1, 2, 4 … at a time), so that a quota or a broken webhook is not hit with a whole set at once.

import { ApiError, isNotFound } from '#api'
import { type Kind, Pod, type PodTemplateSpec } from '#kinds'
import type { KubeObject } from '#objects'
import { type Kit, recordEvent } from '#reconcile'
import { controllerReference, refOf } from './claims.ts'
import { Expectations } from './expectations.ts'

export interface PodOwner {
  readonly kind: Kind
  readonly object: KubeObject
  /** Source component of the Events: `replicaset-controller`. */
  readonly component: string
}

export interface Attempts {
  readonly succeeded: number
  readonly error?: unknown
}

/** The pod of a template: all pods of one owner share this object, and with it labels, owners and spec. */
export function podFromTemplate(owner: PodOwner, template: PodTemplateSpec): Pod {
  const known = podByTemplate.get(template)
  if (known !== undefined && known.metadata.ownerReferences?.[0]?.uid === owner.object.metadata.uid) return known
  const { labels, annotations, finalizers } = template.metadata ?? {}
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: owner.object.metadata.namespace ?? '',
      generateName: `${owner.object.metadata.name}-`,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(owner.kind, owner.object)],
    },
    spec: template.spec ?? { containers: [] },
    // As the server keeps it, so that it need not make a copy.
    status: {},
  }
  podByTemplate.set(template, pod)
  return pod
}

const podByTemplate = new WeakMap<PodTemplateSpec, Pod>()

/** Pods that were created or deleted here: an owner's loop waits for its cache to show that before it counts again. */
export const expectedPods = new Expectations(Pod)

/** Creates one pod; the namespace being deleted is no failure, there is just nothing to do any more. */
export async function createPod(kit: Kit, owner: PodOwner, pod: Pod): Promise<void> {
  try {
    const created = await kit.client.create(Pod, pod)
    expectedPods.expect(kit, owner.object, created)
    const message = `Created pod: ${created.metadata.name}`
    const { object, component } = owner
    recordEvent(kit, { object, component, type: 'Normal', reason: 'SuccessfulCreate', message })
  } catch (error) {
    if (isNamespaceTerminating(error)) return
    recordEvent(kit, {
      object: owner.object,
      component: owner.component,
      type: 'Warning',
      reason: 'FailedCreate',
      message: `Error creating: ${messageOf(error)}`,
    })
    throw error
  }
}

/** Deletes the pods, all at once. A pod that is gone already is fine. */
export async function deletePods(kit: Kit, owner: PodOwner, pods: readonly Pod[]): Promise<Attempts> {
  const results = await Promise.allSettled(pods.map((pod) => deletePod(kit, owner, pod)))
  return summary(results)
}

async function deletePod(kit: Kit, owner: PodOwner, pod: Pod): Promise<void> {
  const { uid } = pod.metadata
  try {
    const going = await kit.client.delete(Pod, refOf(pod), uid === undefined ? {} : { preconditions: { uid } })
    expectedPods.expect(kit, owner.object, going)
    recordEvent(kit, {
      object: owner.object,
      component: owner.component,
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `Deleted pod: ${pod.metadata.name}`,
    })
  } catch (error) {
    if (isNotFound(error)) return
    recordEvent(kit, {
      object: owner.object,
      component: owner.component,
      type: 'Warning',
      reason: 'FailedDelete',
      message: `Error deleting: ${messageOf(error)}`,
    })
    throw new Error(`unable to delete pods: ${messageOf(error)}`, { cause: error })
  }
}

/** Runs `step` `count` times in batches that double while all goes well; stops after the first batch with a failure. */
export async function slowStart(count: number, step: (index: number) => Promise<void>): Promise<Attempts> {
  let succeeded = 0
  for (let size = Math.min(1, count), next = 0; size > 0; size = Math.min(2 * size, count - next)) {
    const batch = Array.from({ length: size }, (_, i) => next + i)
    const outcome = summary(await Promise.allSettled(batch.map(step)))
    succeeded += outcome.succeeded
    if (outcome.error !== undefined) return { succeeded, error: outcome.error }
    next += size
  }
  return { succeeded }
}

function summary(results: readonly PromiseSettledResult<void>[]): Attempts {
  const failure = results.find((result) => result.status === 'rejected')
  const succeeded = results.filter((result) => result.status === 'fulfilled').length
  return failure === undefined ? { succeeded } : { succeeded, error: failure.reason }
}

export const isNamespaceTerminating = (error: unknown): boolean =>
  error instanceof ApiError && (error.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating')

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
