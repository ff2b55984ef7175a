// The health of an application: the worst of its own objects, and which of them it is. Hooks, objects without a rule and
// those that ask to be left out do not count; an object that is expected and not there is Missing.

import { type HealthStatus, isWorse, type Verdict } from './verdict.ts'

export interface CountedResource {
  readonly group: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** Whether the object exists. */
  readonly live: boolean
  readonly verdict: Verdict | undefined
  /** A hook, an ignored object, or the application itself. */
  readonly leftOut: boolean
}

export interface ApplicationHealth {
  readonly status: HealthStatus
  readonly message?: string
}

const namedCauses = 3

export function rollUp(resources: readonly CountedResource[]): ApplicationHealth {
  let worst: HealthStatus = 'Healthy'
  let causes: CountedResource[] = []
  const counted = resources.filter((resource) => !resource.leftOut)
  if (counted.length > 0 && counted.every((resource) => !resource.live)) return { status: 'Missing' }
  for (const resource of counted) {
    const status = statusOf(resource)
    if (status === undefined || status === 'Healthy') continue
    if (isWorse(status, worst)) {
      worst = status
      causes = []
    }
    if (status === worst) causes.push(resource)
  }
  return causes.length === 0 ? { status: worst } : { status: worst, message: causeText(causes) }
}

function statusOf(resource: CountedResource): HealthStatus | undefined {
  if (!resource.live) return undefined
  const status = resource.verdict?.status
  const isChild = resource.group === 'argoproj.io' && resource.kind === 'Application'
  // A child that has not been looked at yet says nothing about its parent.
  return isChild && (status === 'Missing' || status === 'Unknown') ? undefined : status
}

function causeText(causes: readonly CountedResource[]): string {
  const names = causes.slice(0, namedCauses).map(nameOf)
  const more = causes.length - names.length
  return `Caused by ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const nameOf = ({ group, kind, namespace, name }: CountedResource): string =>
  `${group === '' ? '' : `${group}/`}${kind}:${namespace === '' ? '' : `${namespace}/`}${name}`
