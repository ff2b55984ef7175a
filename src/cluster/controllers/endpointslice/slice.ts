// What an EndpointSlice of a Service is called and labelled, and whose it is. Pure.

import { type Endpoint, type EndpointSlice, Service } from '#kinds'
import { isEqual, type KubeObject } from '#objects'
import { controllerReference } from '../claims.ts'
import { type AddressType, hasClusterAddress, headlessLabel } from '../endpoint-rules.ts'
import { type EndpointPort, inOrder, managedByLabel, serviceNameLabel } from '../endpoint-slices.ts'

export const controllerName = 'endpointslice-controller.k8s.io'

export interface SliceParts {
  readonly service: Service
  readonly type: AddressType
  readonly ports: readonly EndpointPort[]
}

export function newSlice({ service, type, ports }: SliceParts, endpoints: readonly Endpoint[]): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${service.metadata.name}-`,
      namespace: service.metadata.namespace ?? '',
      labels: labelsOf(service),
      ownerReferences: [controllerReference(Service, service)],
    },
    addressType: type,
    endpoints: orNull(endpoints),
    ports: orNull(inOrder(ports)),
  }
}

/** Lists that must be written even when they are empty are null then, as Go writes them. */
export const orNull = <T>(list: readonly T[]): readonly T[] =>
  list.length === 0 ? (null as unknown as readonly T[]) : list

const reserved: ReadonlySet<string> = new Set([managedByLabel, serviceNameLabel, headlessLabel])

function labelsOf(service: Service): Readonly<Record<string, string>> {
  const own = Object.entries(service.metadata.labels ?? {}).filter(([key]) => !reserved.has(key))
  return {
    ...Object.fromEntries(own),
    ...(hasClusterAddress(service) ? {} : { [headlessLabel]: '' }),
    [serviceNameLabel]: service.metadata.name ?? '',
    [managedByLabel]: controllerName,
  }
}

export function withLabels(slice: EndpointSlice, service: Service): EndpointSlice {
  const labels = labelsOf(service)
  return isEqual(labels, slice.metadata.labels) ? slice : { ...slice, metadata: { ...slice.metadata, labels } }
}

export const isOwnedBy = (object: KubeObject, owner: KubeObject): boolean =>
  object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid) === true
