// What a pod counts for while its resize stands: the most of what it asks for and what it has, so that nobody is given the
// room before it is free; only what it has, where its node can never give more. (k8s.io/component-helpers/resource)

import { type Container, type Pod, type PodSpec, podRequests } from '#kinds'
import { compareQuantity, type QuantityText } from '#objects'

/** Asked at every change of a placed pod. */
export function isResizing({ status }: Pod): boolean {
  const conditions = status?.conditions
  if (conditions === undefined) return false
  for (const { type } of conditions) if (type === pending || type === inProgress) return true
  return false
}

const pending = 'PodResizePending'
const inProgress = 'PodResizeInProgress'

export const requestsOf = (pod: Pod): ReturnType<typeof podRequests> =>
  podRequests(isResizing(pod) ? counted(pod) : pod.spec)

function counted({ spec, status }: Pod): PodSpec {
  const isNever = status?.conditions?.some(({ type, reason }) => type === pending && reason === 'Infeasible') === true
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]
  const count = (container: Container): Container => {
    const { resources, allocatedResources } = all.find(({ name }) => name === container.name) ?? {}
    if (resources === undefined) return container
    const requests = most(isNever ? undefined : container.resources?.requests, resources.requests, allocatedResources)
    return { ...container, resources: { ...container.resources, requests } }
  }
  const init = spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(count) }
  return { ...spec, containers: spec.containers.map(count), ...init }
}

type Amounts = Readonly<Record<string, QuantityText>>

function most(...lists: readonly (Amounts | undefined)[]): Amounts {
  const result: Record<string, QuantityText> = {}
  for (const list of lists)
    for (const [name, amount] of Object.entries(list ?? {})) {
      const known = result[name]
      if (known === undefined || compareQuantity(amount, known) > 0) result[name] = amount
    }
  return result
}
