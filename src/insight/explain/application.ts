// What an Application waits for: its source, its comparison, its operation, a person, or the health of what it made. Pure.

import type { Application, ApplicationCondition, ApplicationResource } from '#kinds'
import type { AnyObject } from '#objects'
import { explainDeletion } from './deletion.ts'
import { describeObject, type Finding, sinceTime, withBelow } from './finding.ts'
import { explainOperation } from './operation.ts'

export interface ApplicationObservation {
  readonly object: Application
  /** What is to be said of its resources that are not healthy, or that it waits for. */
  readonly resources?: readonly (readonly Finding[])[]
}

const loop = 'application controller'

export const nameOf = (item: { readonly kind: string; readonly namespace?: string; readonly name: string }): string =>
  `${item.kind} ${item.namespace === undefined || item.namespace === '' ? '' : `${item.namespace}/`}${item.name}`

const describe = ({ type, message }: ApplicationCondition): string => `condition ${type}: ${message}`

export function explainApplication(observation: ApplicationObservation): readonly Finding[] {
  const { object, resources = [] } = observation
  const { status = {} } = object
  const conditions = status.conditions ?? []
  const deletion = explainDeletion(object as unknown as AnyObject)
  if (deletion !== undefined) return withBelow(deleting(deletion, conditions), resources)
  const operation = explainOperation(object)
  if (operation !== undefined)
    return withBelow({ ...operation, evidence: [...operation.evidence, ...conditions.map(describe)] }, resources)
  const finding = withoutComparison(object) ?? outOfSync(object) ?? outOfDate(object)
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

function deleting(deletion: Finding, conditions: readonly ApplicationCondition[]): Finding {
  const failed = conditions.find(({ type }) => type === 'DeletionError')
  const evidence = [...deletion.evidence, ...conditions.map(describe)]
  if (failed === undefined) return { ...deletion, evidence }
  const gap = `${deletion.gap}; the last try failed: ${failed.message}`
  return { ...deletion, state: 'stuck', gap, ...sinceTime(failed.lastTransitionTime), evidence }
}

const lookAtRepository = 'Look at the address, the network and the credentials that it is read with.'

const isOfRepository = (message: string): boolean =>
  /\bgit (?:fetch|clone|ls-remote)\b|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|authentication|unable to resolve '/i.test(message)

const adviceFor = (type: string, message: string): string =>
  type === 'InvalidSpecError'
    ? 'Correct the spec of the Application, or what its project allows (kubectl get appproject -n argocd).'
    : /unable to resolve '/.test(message)
      ? 'Push that branch or tag, or correct spec.source.targetRevision.'
      : isOfRepository(message)
        ? lookAtRepository
        : 'Correct what the message names; the next commit, or a refresh, is compared at once.'

/** It could not be compared with git: the cause is in the conditions. */
function withoutComparison(object: Application): Finding | undefined {
  const { status = {} } = object
  const conditions = status.conditions ?? []
  const error = conditions.find(({ type }) => type === 'InvalidSpecError' || type === 'ComparisonError')
  if (error === undefined && status.sync?.status !== undefined && status.sync.status !== 'Unknown') return undefined
  const common = { object: describeObject(object), loop, evidence: conditions.map(describe) }
  if (error === undefined) return { ...common, state: 'progressing', gap: 'it has not been compared with git yet' }
  return {
    ...common,
    state: 'stuck',
    loop: error.type === 'ComparisonError' && isOfRepository(error.message) ? 'repository' : loop,
    gap: `it could not be compared with git: ${error.message}`,
    ...sinceTime(error.lastTransitionTime),
    advice: adviceFor(error.type, error.message),
  }
}

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
  const refused = conditions.find(({ type }) => type === 'SyncError')
  if (refused !== undefined)
    return { loop, why: refused.message, ...sinceTime(refused.lastTransitionTime), advice: sync }
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

function outOfSync(object: Application): Finding | undefined {
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

/** It is in sync with what was seen last, and nobody can see what has come since. */
function outOfDate(object: Application): Finding | undefined {
  const conditions = object.status?.conditions ?? []
  const away = conditions.find(({ type }) => type === 'RepositoryWarning')
  if (away === undefined) return undefined
  return {
    state: 'stuck',
    loop: 'repository',
    object: describeObject(object),
    gap: `its repository cannot be read, so newer commits are not seen: ${away.message}`,
    ...sinceTime(away.lastTransitionTime),
    evidence: conditions.map(describe),
    advice: lookAtRepository,
  }
}

function unhealthy({ object, resources = [] }: ApplicationObservation): readonly Finding[] | undefined {
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
      evidence: [...texts.slice(0, differingShown), ...conditions.map(describe)],
    },
    resources,
  )
}
