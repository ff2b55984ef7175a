// Faults of the resources that containers and pods ask for.

import { compareQuantity } from '#objects'
import { duplicate, type FieldError, forbidden, invalid, notFound, notSupported, required } from '../field-error.ts'
import type { CoreV1ResourceClaim, PodSpec, ResourceRequirements } from '../generated/types.ts'
import { dnsLabel } from '../metadata/formats.ts'
import {
  amountText,
  checkAmount,
  checkContainerResourceName,
  checkHugePages,
  checkResourceName,
  isHugePages,
  isOvercommitAllowed,
} from '../quantity/resources.ts'
import { aggregateLimits, aggregateRequests, podLevelResources } from './pod-level-resources.ts'

interface Target {
  readonly path: string
  readonly claimNames: ReadonlySet<string>
  readonly errors: FieldError[]
}

type NameCheck = (name: string, path: string, errors: FieldError[]) => void

export const checkContainerResources = (resources: ResourceRequirements | undefined, target: Target): void =>
  checkResources(resources ?? {}, checkContainerResourceName, target)

function checkResources(resources: ResourceRequirements, checkName: NameCheck, target: Target): void {
  const { path, errors } = target
  const { limits = {}, requests = {} } = resources
  for (const name of Object.keys(limits)) {
    const at = { path: `${path}.limits[${name}]`, errors }
    checkName(name, at.path, errors)
    checkAmount(name, limits[name] ?? '0', at)
    checkHugePages(name, limits[name] ?? '0', at)
  }
  for (const name of Object.keys(requests)) {
    const at = { path: `${path}.requests[${name}]`, errors }
    const amount = requests[name] ?? '0'
    checkName(name, at.path, errors)
    checkAmount(name, amount, at)
    checkAgainstLimit(name, { amount, limit: limits[name] }, target)
    checkHugePages(name, amount, at)
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  if (names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory'))
    errors.push(forbidden(path, 'HugePages require cpu or memory'))
  checkClaims(resources.claims ?? [], { ...target, path: `${path}.claims` })
}

function checkAgainstLimit(
  name: string,
  { amount, limit }: { readonly amount: string | number; readonly limit: string | number | undefined },
  { path, errors }: Target,
): void {
  if (limit === undefined) {
    if (!isOvercommitAllowed(name))
      errors.push(required(`${path}.limits`, 'Limit must be set for non overcommitable resources'))
    return
  }
  const order = compareQuantity(amount, limit)
  if (order !== 0 && !isOvercommitAllowed(name))
    errors.push(
      invalid(`${path}.requests`, amountText(amount), `must be equal to ${name} limit of ${amountText(limit)}`),
    )
  else if (order > 0)
    errors.push(
      invalid(
        `${path}.requests`,
        amountText(amount),
        `must be less than or equal to ${name} limit of ${amountText(limit)}`,
      ),
    )
}

function checkClaims(claims: readonly CoreV1ResourceClaim[], { path, claimNames, errors }: Target): void {
  const names = new Set<string>()
  claims.forEach((claim, i) => {
    const at = `${path}[${i}]`
    if (!claim.name) {
      errors.push(required(at))
      return
    }
    if (names.has(claim.name)) errors.push(duplicate(at, claim.name))
    else {
      const key = claim.request ? `${claim.name}/${claim.request}` : claim.name
      if (claim.request)
        for (const text of dnsLabel(claim.request)) errors.push(invalid(`${at}.request`, claim.request, text))
      if (names.has(key)) errors.push(duplicate(at, key))
      else if (!claim.request && [...names].some((known) => known.startsWith(`${claim.name}/`)))
        errors.push(duplicate(at, claim.name))
      names.add(key)
    }
    if (!claimNames.has(claim.name)) {
      const known = claimNames.size === 0 ? ' which is empty' : `: ${[...claimNames].sort().join(', ')}`
      errors.push(notFound(at, claim.name, `must be one of the names in pod.spec.resourceClaims${known}`))
    }
  })
}

function checkPodResourceName(name: string, path: string, errors: FieldError[]): void {
  const before = errors.length
  checkResourceName(name, path, errors)
  if (errors.length === before && !podLevelResources.has(name) && !isHugePages(name))
    errors.push(notSupported(path, name, ['cpu', 'hugepages-', 'memory']))
}

/** Resources of the pod as a whole: nothing that its containers ask for may exceed them. */
export function checkPodResources(spec: PodSpec, target: Target): void {
  const { path, errors } = target
  const { resources } = spec
  if (resources === undefined) return
  if (spec.os?.name === 'windows') {
    errors.push(forbidden(path, 'may not be set for a windows pod'))
    return
  }
  if (resources.claims !== undefined)
    errors.push(forbidden(`${path}.claims`, 'claims may not be set for Resources at pod-level'))
  checkResources(resources, checkPodResourceName, target)
  checkSum(resources, 'requests', { sum: aggregateRequests(spec), path, errors })
  const hugePages = Object.entries(aggregateLimits(spec)).filter(([name]) => isHugePages(name))
  checkSum(resources, 'limits', { sum: Object.fromEntries(hugePages), path, errors })
  spec.containers?.forEach((container, i) => {
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {})) {
      const podLimit = spec.resources?.limits?.[name]
      if (podLimit !== undefined && compareQuantity(limit, podLimit) > 0)
        errors.push(
          invalid(
            `${path}.containers[${i}][${name}].limits`,
            amountText(limit),
            `must be less than or equal to pod limits of ${amountText(podLimit)}`,
          ),
        )
    }
  })
}

interface Sum {
  /** What the containers ask for together. */
  readonly sum: Readonly<Record<string, string | number>>
  readonly path: string
  readonly errors: FieldError[]
}

/** What the pod names itself must be enough for all of its containers. */
function checkSum(resources: ResourceRequirements, list: 'requests' | 'limits', { sum, path, errors }: Sum): void {
  for (const [name, amount] of Object.entries(sum)) {
    const given = resources[list]?.[name]
    if (given !== undefined && compareQuantity(amount, given) > 0)
      errors.push(
        invalid(
          `${path}.${list}[${name}]`,
          amountText(given),
          `must be greater than or equal to aggregate container ${list} of ${amountText(amount)}`,
        ),
      )
  }
}
