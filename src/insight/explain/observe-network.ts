// What is read of a Service, an Ingress or an APIService before the pure files beside this one decide.

import {
  type APIService,
  DaemonSet,
  Deployment,
  EndpointSlice,
  type Ingress,
  IngressClass,
  type Kind,
  Pod,
  Service,
  StatefulSet,
} from '#kinds'
import type { Around } from './around.ts'
import { describeObject, type Finding } from './finding.ts'
import { backendsOf, explainIngress } from './ingress.ts'
import { observePods } from './observe-workloads.ts'
import { explainApiService } from './request.ts'
import { explainService, type Maker } from './service.ts'
import { namespaceOf } from './surroundings.ts'

export async function explainServiceObject(around: Around, service: Service): Promise<readonly Finding[]> {
  const namespace = namespaceOf(service)
  const wanted = Object.entries(service.spec?.selector ?? {})
  const matching =
    wanted.length === 0
      ? []
      : (await around.list(Pod, namespace)).filter(({ metadata }) =>
          wanted.every(([key, value]) => metadata.labels?.[key] === value),
        )
  const { name = '' } = service.metadata
  const slices = (await around.list(EndpointSlice, namespace)).filter(
    ({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name,
  )
  const observed = new Map((await observePods(around, matching)).map((observation) => [observation.pod, observation]))
  const pods = matching.map((pod) => observed.get(pod) ?? { pod, events: [] })
  const makers = wanted.length > 0 && matching.length === 0 ? await makersOf(around, service) : []
  return explainService({ service, slices, pods, makers, events: await around.eventsOf(service) })
}

const workloads: readonly Kind<Deployment | StatefulSet | DaemonSet>[] = [Deployment, StatefulSet, DaemonSet]

/** The workloads whose pods it would select, were there any. */
async function makersOf(around: Around, service: Service): Promise<readonly Maker[]> {
  const namespace = namespaceOf(service)
  const wanted = Object.entries(service.spec?.selector ?? {})
  const all = await Promise.all(
    workloads.map(async (kind) => (await around.list(kind, namespace)).map((object) => ({ kind, object }))),
  )
  const mine = all.flat().filter(({ object }) => {
    const labels = object.spec.template.metadata?.labels
    return wanted.every(([key, value]) => labels?.[key] === value)
  })
  return Promise.all(
    mine.map(async ({ kind, object }) => ({
      name: describeObject(object),
      replicas: 'replicas' in object.spec ? (object.spec.replicas ?? 1) : 1,
      findings: await around.chain(kind, { namespace, name: object.metadata.name ?? '' }),
    })),
  )
}

export async function explainIngressObject(around: Around, object: Ingress): Promise<readonly Finding[]> {
  const namespace = namespaceOf(object)
  const names = [...new Set(backendsOf(object).map(({ name }) => name))]
  const services = await Promise.all(names.map((name) => around.get(Service, { namespace, name })))
  const backends = await Promise.all(
    services
      .flatMap((service) => (service === undefined ? [] : [service]))
      .map(async (service) => ({
        service,
        findings: await around.chain(Service, { namespace, name: service.metadata.name ?? '' }),
      })),
  )
  return explainIngress({ object, classes: await around.list(IngressClass), backends })
}

export async function explainApiServiceObject(around: Around, object: APIService): Promise<readonly Finding[]> {
  const { service } = object.spec ?? {}
  const { namespace = '', name = '' } = service ?? {}
  return explainApiService(object, service === undefined ? [] : await around.chain(Service, { namespace, name }))
}
