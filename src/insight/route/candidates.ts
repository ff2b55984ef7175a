// Every endpoint that a Service's port has, and every pod that it selects without being one, with why traffic goes there or
// not. Pure.

import type { Pod } from '#kinds'
import { objectKey } from '#objects'
import { type Backend, backendsOf, familyOf, type Route, type Verdict } from '#proxy'

export interface Candidate {
  /** `10.244.0.4:8080`; empty for a pod that is no endpoint. */
  readonly endpoint: string
  readonly pod?: string
  readonly node?: string
  readonly zone?: string
  readonly state: 'ready' | 'not ready' | 'terminating, serving' | 'terminating' | 'no endpoint'
  readonly used: boolean
  readonly why: string
}

const nameOf = ({ address, port }: Backend): string => `${address}:${port}`

function stateOf({ ready, serving, terminating }: Backend): Candidate['state'] {
  if (ready) return 'ready'
  if (terminating) return serving ? 'terminating, serving' : 'terminating'
  return 'not ready'
}

const candidateOf = (backend: Backend, used: boolean, why: string): Candidate => ({
  endpoint: nameOf(backend),
  ...(backend.pod === undefined ? {} : { pod: backend.pod }),
  ...(backend.nodeName === undefined ? {} : { node: backend.nodeName }),
  ...(backend.zone === undefined ? {} : { zone: backend.zone }),
  state: stateOf(backend),
  used,
  why,
})

/** The endpoints of a table's port. */
export function tableCandidates({
  table,
  servicePort,
  verdict,
  decidedOn,
  address = '',
  frontend,
}: Route): readonly Candidate[] {
  if (table === undefined || servicePort === undefined || verdict === undefined) return []
  const family = familyOf(address)
  const field = frontend === 'ClusterIP' ? 'internalTrafficPolicy' : 'externalTrafficPolicy'
  const around = { verdict, node: decidedOn?.node ?? '', zone: decidedOn?.zone, field }
  return backendsOf(table, servicePort, family).map((backend) => {
    const used = verdict.backends.some((one) => nameOf(one) === nameOf(backend))
    return candidateOf(backend, used, used ? whyIn(backend, around) : whyOut(backend, around))
  })
}

interface Around {
  readonly verdict: Verdict
  readonly node: string
  readonly zone: string | undefined
  readonly field: string
}

function whyIn({ ready }: Backend, { verdict, node, zone, field }: Around): string {
  if (!ready) return 'still serves, and no endpoint is ready'
  if (verdict.policy === 'Local') return `on node ${node} (${field} Local)`
  const { mode } = verdict.categories
  if (mode === 'PreferSameNode') return `hinted for node ${node}`
  return mode === 'PreferSameZone' ? `hinted for zone ${zone ?? ''}` : 'ready'
}

function whyOut(backend: Backend, { verdict, node, zone, field }: Around): string {
  const { ready, serving, terminating, zones = [], nodes = [], nodeName } = backend
  if (!ready && !(terminating && serving)) return terminating ? 'terminating, and serves no more' : 'not ready'
  if (verdict.policy === 'Local' && nodeName !== node) return `not on node ${node} (${field} Local)`
  if (!ready) return 'terminating, and others are ready'
  if (verdict.action !== 'balance') return verdict.why
  const { mode } = verdict.categories
  if (mode === 'PreferSameNode') return `hinted for node ${nodes.join(', ')}, not ${node}`
  return mode === 'PreferSameZone' ? `hinted for zone ${zones.join(', ')}, not ${zone ?? ''}` : 'not used'
}

/** The addresses that DNS gave for a headless Service, and the endpoints that it left out. */
export function dnsCandidates({ outcome }: Route, all: readonly Backend[]): readonly Candidate[] {
  const chosen = outcome.type === 'endpoints' ? outcome.backends : []
  const given = chosen.map((backend) => candidateOf(backend, true, 'an address that DNS gives'))
  const left = all.filter(({ address }) => !chosen.some((one) => one.address === address))
  return [
    ...given,
    ...left.map((backend) =>
      candidateOf(backend, false, backend.ready ? 'it has another name' : 'DNS gives ready ones only'),
    ),
  ]
}

/** Pods that the Service selects, but that stand in no slice. */
export function podsWithout(candidates: readonly Candidate[], pods: readonly Pod[]): readonly Candidate[] {
  const known = new Set(candidates.map(({ pod }) => pod))
  return pods.flatMap((pod): readonly Candidate[] => {
    const key = objectKey(pod)
    if (known.has(key)) return []
    const { nodeName } = pod.spec
    return [
      {
        endpoint: '',
        pod: key,
        ...(nodeName === undefined ? {} : { node: nodeName }),
        state: 'no endpoint',
        used: false,
        why: whyNone(pod),
      },
    ]
  })
}

function whyNone({ status, spec, metadata }: Pod): string {
  const phase = status?.phase ?? 'Pending'
  if (phase === 'Succeeded' || phase === 'Failed') return `it has finished (${phase})`
  if (metadata.deletionTimestamp !== undefined) return 'it is being deleted'
  if (spec.nodeName === undefined) return 'it is not scheduled yet'
  return status?.podIP === undefined ? `it has no address yet (${phase})` : 'it stands in no EndpointSlice yet'
}
