// How requests come to the nodes of a resource tree: Argo CD's networkingInfo of Services, Ingresses and pods. Pure.

import type { Ingress, Pod, Service } from '#kinds'
import type { AnyObject } from '#objects'
import type { NetworkingInfo } from './tree-node.ts'

export function networkingInfo(object: AnyObject): NetworkingInfo | undefined {
  if (object.apiVersion === 'v1' && object.kind === 'Pod') return ofPod(object as unknown as Pod)
  if (object.apiVersion === 'v1' && object.kind === 'Service') return ofService(object as unknown as Service)
  if (object.apiVersion.startsWith('networking.k8s.io/') && object.kind === 'Ingress')
    return ofIngress(object as unknown as Ingress)
  return undefined
}

const ofPod = ({ metadata }: Pod): NetworkingInfo | undefined =>
  metadata.labels === undefined ? undefined : { labels: metadata.labels }

function ofService({ spec, status }: Service): NetworkingInfo {
  const ingress = status?.loadBalancer?.ingress ?? []
  return {
    ...(spec?.selector === undefined ? {} : { targetLabels: spec.selector }),
    ...(ingress.length === 0 ? {} : { ingress }),
  }
}

function ofIngress(ingress: Ingress): NetworkingInfo {
  const { spec, status, metadata } = ingress
  const backends = [
    spec?.defaultBackend,
    ...(spec?.rules ?? []).flatMap((rule) => (rule.http?.paths ?? []).map(({ backend }) => backend)),
  ]
  const services = [...new Set(backends.flatMap((backend) => backend?.service?.name ?? []))]
  const { namespace = '' } = metadata
  return {
    targetRefs: services.map((name) => ({ group: '', version: '', kind: 'Service', namespace, name })),
    ingress: status?.loadBalancer?.ingress ?? [],
    externalURLs: urlsOf(ingress),
  }
}

function urlsOf({ spec, status }: Ingress): readonly string[] {
  const addresses = (status?.loadBalancer?.ingress ?? []).flatMap(({ hostname, ip }) => hostname ?? ip ?? [])
  const tls = spec?.tls ?? []
  const isSecure = (host: string | undefined): boolean =>
    tls.some(({ hosts = [] }) => hosts.length === 0 || (host !== undefined && hosts.includes(host)))
  const urls = (spec?.rules ?? []).flatMap((rule) => {
    const paths = (rule.http?.paths ?? []).map(({ path = '' }) => path.replace(/\/?\*?$/, ''))
    const hosts = rule.host === undefined || rule.host === '' ? addresses : [rule.host]
    const scheme = isSecure(rule.host) ? 'https' : 'http'
    return hosts.flatMap((host) => paths.map((path) => `${scheme}://${host}${path}`))
  })
  return [...new Set(urls)].sort()
}
