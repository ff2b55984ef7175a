// The history of templates that StatefulSets and DaemonSets keep in ControllerRevisions: which one is of the current
// template, what a new one looks like, which are no longer needed. `decideRevisions` is pure.

import { isAlreadyExists, isNotFound } from '#api'
import { ControllerRevision, type Kind, type PodTemplateSpec } from '#kinds'
import { isEqual, type KubeObject, type LabelSelector, matchesLabels } from '#objects'
import type { Kit } from '#reconcile'
import { applyClaims, controllerReference, decideClaims, orphanIndex, refOf } from './claims.ts'

/** What a revision remembers: a patch that puts the template back. */
export interface RevisionData {
  readonly spec: { readonly template: PodTemplateSpec & { readonly $patch: 'replace' } }
}

const dataByTemplate = new WeakMap<PodTemplateSpec, RevisionData>()

export function dataOf(template: PodTemplateSpec): RevisionData {
  const known = dataByTemplate.get(template)
  if (known !== undefined) return known
  const data = inOrder({ spec: { template: { $patch: 'replace', ...template } } }) as RevisionData
  dataByTemplate.set(template, data)
  return data
}

/** Keys in the order in which Go writes maps: kubectl compares the text of a revision with what it would write itself. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, field]) => [key, inOrder(field)]))
}

export function templateOf(revision: ControllerRevision): PodTemplateSpec {
  const { $patch: _, ...template } = (revision.data as unknown as RevisionData).spec.template
  return template
}

export interface RevisionOwner {
  readonly kind: Kind
  readonly object: KubeObject
  readonly template: PodTemplateSpec
  readonly hash: string
  /** Label that carries the hash. */
  readonly hashLabel: string
}

const orphanRevisions = orphanIndex(ControllerRevision)

/** The owner's revisions, with those that nobody owns any more: an owner of the same name was deleted and left them. */
export function claimRevisions(
  kit: Kit,
  kind: Kind,
  object: KubeObject & { readonly spec: { readonly selector: LabelSelector } },
): Promise<readonly ControllerRevision[]> {
  const owned = kit.cache.ownedBy(ControllerRevision, object.metadata.uid ?? '')
  const orphans = kit.cache.by(orphanRevisions, object.metadata.namespace ?? '')
  const matches = (labels: Readonly<Record<string, string>>): boolean => matchesLabels(object.spec.selector, labels)
  const claimant = { kind, object, child: ControllerRevision, matches }
  return applyClaims(kit, claimant, decideClaims(claimant, [...owned, ...orphans]))
}

export type RevisionStep =
  | { readonly type: 'known'; readonly revision: ControllerRevision }
  /** An old revision whose template is the current one again. */
  | { readonly type: 'renumber'; readonly revision: ControllerRevision }
  | { readonly type: 'create'; readonly revision: ControllerRevision }

export function decideRevision(owner: RevisionOwner, revisions: readonly ControllerRevision[]): RevisionStep {
  const data = dataOf(owner.template)
  const sorted = [...revisions].sort((a, b) => a.revision - b.revision)
  const latest = sorted.at(-1)
  const same = sorted.filter((revision) => isEqual(revision.data, data)).at(-1)
  const next = (latest?.revision ?? 0) + 1
  if (same === undefined) return { type: 'create', revision: newRevision(owner, data, next) }
  return same === latest
    ? { type: 'known', revision: same }
    : { type: 'renumber', revision: { ...same, revision: next } }
}

function newRevision(owner: RevisionOwner, data: RevisionData, revision: number): ControllerRevision {
  const { annotations } = owner.object.metadata
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${owner.object.metadata.name}-${owner.hash}`,
      namespace: owner.object.metadata.namespace ?? '',
      labels: { ...owner.template.metadata?.labels, [owner.hashLabel]: owner.hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(owner.kind, owner.object)],
    },
    data: data as unknown as NonNullable<ControllerRevision['data']>,
    revision,
  }
}

/** Writes the step; answers the revision as stored, or undefined when its name is taken by another template. */
export async function applyRevision(kit: Kit, step: RevisionStep): Promise<ControllerRevision | undefined> {
  if (step.type === 'known') return step.revision
  if (step.type === 'renumber') return kit.client.update(ControllerRevision, step.revision)
  try {
    return await kit.client.create(ControllerRevision, step.revision)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const existing = await kit.client.get(ControllerRevision, refOf(step.revision))
    return isEqual(existing.data, step.revision.data) ? existing : undefined
  }
}

/** The oldest revisions beyond `limit` that no pod is of. */
export function surplusRevisions(
  revisions: readonly ControllerRevision[],
  live: ReadonlySet<string>,
  limit: number,
): readonly ControllerRevision[] {
  const dead = revisions
    .filter(({ metadata }) => !live.has(metadata.name ?? ''))
    .sort((a, b) => a.revision - b.revision)
  return dead.slice(0, Math.max(0, dead.length - limit))
}

export async function removeRevisions(kit: Kit, revisions: readonly ControllerRevision[]): Promise<void> {
  for (const revision of revisions) {
    try {
      await kit.client.delete(ControllerRevision, refOf(revision))
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}
