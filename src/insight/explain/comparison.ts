// An Application that could not be compared, or not with what is new: its repository, its spec or its cluster is the cause. Pure.

import type { Application, ApplicationCondition } from '#kinds'
import { describe, loop } from './application-words.ts'
import { describeObject, type Finding, sinceTime } from './finding.ts'

const lookAtRepository = 'Look at the address, the network and the credentials that it is read with.'

const adviceForRepository = (message: string): string =>
  /no such (?:directory|file)|ENOENT|not a git repository/.test(message)
    ? 'Bring the folder back; it is read again at once. Where it has moved, start the daemon with its new place.'
    : lookAtRepository

const isOfRepository = (message: string): boolean =>
  /\bgit (?:fetch|clone|ls-remote)\b|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|authentication|unable to resolve '/i.test(message)

const adviceFor = (type: string, message: string): string =>
  type === 'InvalidSpecError'
    ? 'Correct the spec of the Application, or what its project allows (kubectl get appproject -n argocd).'
    : /unable to resolve '/.test(message)
      ? 'Push that branch or tag, or correct spec.source.targetRevision.'
      : isOfRepository(message)
        ? adviceForRepository(message)
        : 'Correct what the message names; the next commit, or a refresh, is compared at once.'

/** An outside cluster that does not answer, does not let us in, or is not known well enough to be asked. */
const clusterAway = /^Failed to load live state: (?:failed to sync cluster (\S{1,2000}): )?([\s\S]{1,5000})$/

function atCluster({ spec }: Application, message: string): Cause | undefined {
  const [, asked, reason] = clusterAway.exec(message) ?? []
  if (reason === undefined) return undefined
  const { name = '', server = asked ?? '' } = spec.destination ?? {}
  const cluster = name === '' ? server : server === '' ? name : `${name} (${server})`
  return {
    loop: `cluster ${name === '' ? server : name}`,
    gap: `its cluster ${cluster} cannot be looked at, so nothing is known of what is there: ${reason}`,
    advice:
      'See that the cluster runs, and that its address, CA and credentials are right (its Secret: kubectl get secrets -n argocd -l argocd.argoproj.io/secret-type=cluster, or the context that was named at the start). It is asked again by itself; the page Clusters says when it was asked last.',
  }
}

interface Cause extends Pick<Finding, 'loop' | 'gap'> {
  readonly advice: string
}

const causeOf = (object: Application, { type, message }: ApplicationCondition): Cause =>
  atCluster(object, message) ?? {
    loop: type === 'ComparisonError' && isOfRepository(message) ? 'repository' : loop,
    gap: `it could not be compared with git: ${message}`,
    advice: adviceFor(type, message),
  }

/** It could not be compared with git: the cause is in the conditions. */
export function withoutComparison(object: Application): Finding | undefined {
  const { status = {} } = object
  const conditions = status.conditions ?? []
  const error = conditions.find(({ type }) => type === 'InvalidSpecError' || type === 'ComparisonError')
  if (error === undefined && status.sync?.status !== undefined && status.sync.status !== 'Unknown') return undefined
  const common = { object: describeObject(object), loop, evidence: conditions.map(describe) }
  if (error === undefined) return { ...common, state: 'progressing', gap: 'it has not been compared with git yet' }
  return {
    ...common,
    state: 'stuck',
    ...causeOf(object, error),
    ...sinceTime(error.lastTransitionTime),
  }
}

/** It is in sync with what was seen last, and nobody can see what has come since. */
export function outOfDate(object: Application): Finding | undefined {
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
    advice: adviceForRepository(away.message),
  }
}
