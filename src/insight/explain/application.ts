// What an Application waits for: its source, its comparison, its operation, a person, or the health of what it made. Pure.

import type { Application } from '#kinds'
import type { AnyObject } from '#objects'
import { describe, nameOf } from './application-words.ts'
import { outOfDate, withoutComparison } from './comparison.ts'
import { explainDeletion } from './deletion.ts'
import { describeObject, type Finding, sinceTime, withBelow } from './finding.ts'
import { outOfSync, waitsForOthers } from './held-back.ts'
import { explainOperation } from './operation.ts'

export interface ApplicationObservation {
  readonly object: Application
  /** What is to be said of what it waits for: its resources that are not healthy, or other applications. */
  readonly waitsFor?: readonly (readonly Finding[])[]
}

export function explainApplication(observation: ApplicationObservation): readonly Finding[] {
  const { object, waitsFor = [] } = observation
  const { status = {} } = object
  const conditions = status.conditions ?? []
  const deletion = explainDeletion(object as unknown as AnyObject)
  if (deletion !== undefined) return withBelow(deleting(deletion, conditions), waitsFor)
  const operation = explainOperation(object)
  if (operation !== undefined)
    return withBelow({ ...operation, evidence: [...operation.evidence, ...conditions.map(describe)] }, waitsFor)
  const uncompared = withoutComparison(object)
  if (uncompared !== undefined) return [uncompared]
  const waiting = waitsForOthers(object)
  if (waiting !== undefined) return withBelow(waiting, waitsFor)
  const finding = outOfSync(object) ?? outOfDate(object)
  if (finding !== undefined) return [finding]
  return (
    unhealthy(observation) ?? [
      {
        state: 'converged',
        loop: 'none',
        object: describeObject(object),
        gap: 'Synced and Healthy',
        evidence: conditions.map(describe),
      },
    ]
  )
}

function deleting(
  deletion: Finding,
  conditions: NonNullable<NonNullable<Application['status']>['conditions']>,
): Finding {
  const failed = conditions.find(({ type }) => type === 'DeletionError')
  const evidence = [...deletion.evidence, ...conditions.map(describe)]
  if (failed === undefined) return { ...deletion, evidence }
  const gap = `${deletion.gap}; the last try failed: ${failed.message}`
  return { ...deletion, state: 'stuck', gap, ...sinceTime(failed.lastTransitionTime), evidence }
}

const resourcesShown = 10

function unhealthy({ object, waitsFor = [] }: ApplicationObservation): readonly Finding[] | undefined {
  const { health, resources: all = [], conditions = [] } = object.status ?? {}
  if (health?.status === 'Healthy') return undefined
  const ill = all.filter((item) => item.health?.status !== undefined && item.health.status !== 'Healthy')
  const texts = ill.map(
    (item) => `${nameOf(item)} is ${item.health?.status}${item.health?.message ? `: ${item.health.message}` : ''}`,
  )
  return withBelow(
    {
      state: health?.status === 'Progressing' ? 'progressing' : 'stuck',
      loop: health?.status === 'Suspended' ? 'whoever suspended the resources below' : 'the loops of its resources',
      object: describeObject(object),
      gap: `Synced, but ${health?.status ?? 'Unknown'}${health?.message ? `: ${health.message}` : ''}${ill.length > 0 ? ` (${ill.length} of ${all.length} resources)` : ''}`,
      ...sinceTime(health?.lastTransitionTime),
      evidence: [...texts.slice(0, resourcesShown), ...conditions.map(describe)],
    },
    waitsFor,
  )
}
