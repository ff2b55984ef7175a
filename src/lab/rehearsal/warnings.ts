// Deletions that deserve a second look: what takes more along than it says, and what is nearly everything. Pure.

import type { ApplicationPlan, ObjectName, ObjectPlan } from './report.ts'
import type { Scene } from './scene.ts'

/** Fewer deletions than this are not called many. */
const manyMin = 5

export function warningsOf(before: Scene, plans: readonly ApplicationPlan[]): readonly string[] {
  const removed = plans.flatMap(({ objects }) => objects.filter(({ change }) => change === 'removed'))
  return [
    ...plans.flatMap((plan) => massDeletion(before, plan)),
    ...removed.filter(isKind('', 'Namespace')).map((each) => namespaceText(before, each)),
    ...removed.filter(isKind('apiextensions.k8s.io', 'CustomResourceDefinition')).map((each) => crdText(before, each)),
    ...removed
      .filter(isKind('', 'PersistentVolumeClaim'))
      .map(({ namespace, name }) => `PersistentVolumeClaim ${namespace}/${name} is deleted, and its data with it`),
  ]
}

const isKind =
  (group: string, kind: string) =>
  (object: ObjectPlan): boolean =>
    object.group === group && object.kind === kind

function massDeletion({ apps }: Scene, { name, change, counts }: ApplicationPlan): readonly string[] {
  const { removed } = counts
  if (change === 'removed') {
    const rest = removed === 0 ? 'its objects stay, and belong to nobody' : `${several(removed, 'object')} with it`
    return [`Application ${name} is deleted: ${rest}`]
  }
  const key = name.includes('/') ? name : `argocd/${name}`
  const all = apps.get(key)?.states.size ?? 0
  if (removed < manyMin || removed * 2 <= all) return []
  return [`Application ${name} loses ${removed} of its ${several(all, 'object')}`]
}

function namespaceText({ apps, claims }: Scene, { name }: ObjectName): string {
  let objects = 0
  for (const { states } of apps.values())
    for (const { live, namespace } of states.values()) if (live !== undefined && namespace === name) objects += 1
  const inIt = claims.filter(({ namespace }) => namespace === name).length
  const data = inIt === 0 ? '' : `, ${several(inIt, 'PersistentVolumeClaim')} and their data`
  return `Namespace ${name} is deleted, and all that is in it: ${several(objects, 'object')} of Applications${data}`
}

function crdText({ apps }: Scene, { name }: ObjectName): string {
  const group = name.slice(name.indexOf('.') + 1)
  const plural = name.slice(0, name.indexOf('.'))
  let objects = 0
  for (const { states } of apps.values())
    for (const { live, group: of, kind } of states.values())
      if (live !== undefined && of === group && plural.startsWith(kind.toLowerCase())) objects += 1
  return `CustomResourceDefinition ${name} is deleted, and every object of that kind (${several(objects, 'object')} of Applications)`
}

export const several = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
