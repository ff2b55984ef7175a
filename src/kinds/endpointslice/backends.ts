// Who is ready behind a port of a Service, by its EndpointSlices: for whoever calls one of them. (Which of them a node's
// service tables choose depends on much more.)

import type { EndpointSlice } from '../generated/types.ts'

interface Backend {
  readonly address: string
  readonly port: number
  /** Absent: the address is not known as that of a pod. */
  readonly pod?: string
}

const serviceNameLabel = 'kubernetes.io/service-name'

/** `port` is the name of the Service's port, empty for the only one; `slices` may be those of other Services too. */
export function readyBackends(
  slices: readonly EndpointSlice[],
  { service, port }: { readonly service: string; readonly port: string },
): readonly Backend[] {
  return slices.flatMap(({ metadata, endpoints, ports }) => {
    const number = ports?.find(({ name }) => (name ?? '') === port)?.port
    if (number === undefined || metadata.labels?.[serviceNameLabel] !== service) return []
    return (endpoints ?? []).flatMap(({ addresses: [address], conditions, targetRef }): readonly Backend[] => {
      if (address === undefined || conditions?.ready === false) return []
      return [{ address, port: number, ...(targetRef?.kind === 'Pod' && { pod: targetRef.name ?? '' }) }]
    })
  })
}
