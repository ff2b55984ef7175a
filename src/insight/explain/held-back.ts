// An Application that differs from git: who keeps it from being synced, where somebody does. Pure.

import { type Application, type ApplicationResource, dependenciesOf, dependsOnOption } from '#kinds'
import { describe, loop, nameOf } from './application-words.ts'
import { describeObject, type Finding, sinceTime } from './finding.ts'

interface Held {
  readonly loop: string
  readonly why: string
  readonly advice?: string
  readonly since?: string
}

/** Why nobody closes the gap by himself; undefined when a sync is about to begin. */
function heldBack(object: Application, differing: readonly ApplicationResource[]): Held | undefined {
  const { spec, status = {}, metadata } = object
  const automated = spec.syncPolicy?.automated
  const sync = `homeostat app sync ${metadata.name ?? ''}`
  const { operationState: last, conditions = [] } = status
  const window = conditions.find(({ type }) => type === 'SyncWindowWarning')
  if (window !== undefined)
    return { loop: 'a sync window', why: window.message, ...sinceTime(window.lastTransitionTime) }
  if (automated === undefined || automated === null || automated.enabled === false)
    return { loop: 'you: automated sync is off', why: 'automated sync is off', advice: sync }
  const refused = conditions.find(({ type }) => type === 'RefusedResourceWarning')
  if (refused !== undefined)
    return {
      loop,
      why: refused.message,
      ...sinceTime(refused.lastTransitionTime),
      advice: 'Correct it in git: the next commit is compared at once.',
    }
  const failed = conditions.find(({ type }) => type === 'SyncError')
  if (failed !== undefined) return { loop, why: failed.message, ...sinceTime(failed.lastTransitionTime), advice: sync }
  if (last?.phase === 'Failed' || last?.phase === 'Error')
    return {
      loop,
      why: `the last sync ${last.phase === 'Failed' ? 'failed' : 'ended with an error'}: ${last.message ?? ''}`,
      ...sinceTime(last.finishedAt),
      advice: `The same revision is tried again every five minutes; at once with ${sync}`,
    }
  if (differing.length > 0 && automated.prune !== true && differing.every((item) => item.requiresPruning === true))
    return {
      loop: 'you: pruning is off',
      why: 'they are no longer in git, and automated sync does not prune',
      advice: `${sync} --prune, or set spec.syncPolicy.automated.prune`,
    }
  const revision = status.sync?.revision ?? ''
  if (automated.selfHeal !== true && last?.phase === 'Succeeded' && last.syncResult?.revision === revision)
    return {
      loop: 'you: self-heal is off',
      why: 'this revision was synced, somebody changed the cluster since, and self-heal is off',
      advice: `${sync}, or set spec.syncPolicy.automated.selfHeal`,
      ...sinceTime(last.finishedAt),
    }
  return undefined
}

const differingShown = 10

export function outOfSync(object: Application): Finding | undefined {
  const { status = {} } = object
  if (status.sync?.status === 'Synced') return undefined
  const all = status.resources ?? []
  const differing = all.filter((item) => item.status !== 'Synced')
  const held = heldBack(object, differing)
  const more = differing.length - differingShown
  return {
    state: held === undefined ? 'progressing' : 'stuck',
    loop: held?.loop ?? loop,
    object: describeObject(object),
    gap: `the cluster differs from git in ${differing.length} of ${all.length} resources${held === undefined ? '' : `: ${held.why}`}`,
    ...sinceTime(held?.since),
    evidence: [
      ...(status.conditions ?? []).map(describe),
      ...differing.slice(0, differingShown).map((item) => `${nameOf(item)} is ${item.status}`),
      ...(more > 0 ? [`and ${more} more`] : []),
    ],
    ...(held?.advice === undefined ? {} : { advice: held.advice }),
  }
}

/** An automated sync is due, and others come first: whoever is at work there has the next step. */
export function waitsForOthers(object: Application): Finding | undefined {
  const conditions = object.status?.conditions ?? []
  const waits = conditions.find(({ type }) => type === 'DependencyWarning')
  // Those that wait for one another are told that: nobody has the next step.
  if (waits === undefined || conditions.some(({ type }) => type === 'SyncError')) return undefined
  return {
    state: 'progressing',
    loop: 'the applications that it depends on',
    object: describeObject(object),
    gap: waits.message,
    ...sinceTime(waits.lastTransitionTime),
    evidence: [
      `spec.syncPolicy.syncOptions: ${dependenciesOf(object)
        .map((key) => `${dependsOnOption}${key}`)
        .join(', ')}`,
      ...conditions.map(describe),
    ],
    advice: `It is synced when they are Synced and Healthy. Without waiting: take ${dependsOnOption}… out of its syncOptions.`,
  }
}
