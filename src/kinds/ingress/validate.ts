// Faults of Ingresses (pkg/apis/networking/validation).

import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressSpec,
  TypedLocalObjectReference,
} from '../generated/types.ts'
import {
  dnsLabel1035,
  dnsSubdomain,
  pathSegment,
  portName,
  portNumber,
  wildcardSubdomain,
} from '../metadata/formats.ts'
import { checkAddress, parseAddress } from '../network/addresses.ts'
import { checkBalancerHostname } from '../service/load-balancer-status.ts'

export const classAnnotation = 'kubernetes.io/ingress.class'

export function validateIngress({ spec = {} }: Ingress): readonly FieldError[] {
  const errors: FieldError[] = []
  checkSpec(spec, errors)
  return errors
}

export function validateNewIngress(ingress: Ingress): readonly FieldError[] {
  const annotation = ingress.metadata.annotations?.[classAnnotation]
  const className = ingress.spec?.ingressClassName
  const differs = annotation !== undefined && className !== undefined && annotation !== className
  return [
    ...validateIngress(ingress),
    ...(differs
      ? [invalid(`annotations.${classAnnotation}`, annotation, 'must match `ingressClassName` when both are specified')]
      : []),
  ]
}

function checkSpec(spec: IngressSpec, errors: FieldError[]): void {
  const rules = spec.rules ?? []
  if (rules.length === 0 && spec.defaultBackend === undefined)
    errors.push(invalid('spec', spec.rules ?? null, 'either `defaultBackend` or `rules` must be specified'))
  if (spec.defaultBackend !== undefined) checkBackend(spec.defaultBackend, 'spec.defaultBackend', errors)
  rules.forEach(({ host, http }, i) => {
    const at = `spec.rules[${i}]`
    if (host) {
      if (parseAddress(host) !== undefined)
        errors.push(invalid(`${at}.host`, host, 'must be a DNS name, not an IP address'))
      const faults = host.includes('*') ? wildcardSubdomain(host) : dnsSubdomain(host)
      for (const text of faults) errors.push(invalid(`${at}.host`, host, text))
    }
    if (http === undefined) return
    if ((http.paths ?? []).length === 0) errors.push(required(`${at}.http.paths`))
    http.paths?.forEach((path, j) => {
      checkPath(path, `${at}.http.paths[${j}]`, errors)
    })
  })
  spec.tls?.forEach((tls, i) => {
    tls.hosts?.forEach((host, j) => {
      const faults = host.includes('*') ? wildcardSubdomain(host) : dnsSubdomain(host)
      for (const text of faults) errors.push(invalid(`spec.tls[${i}].hosts[${j}]`, host, text))
    })
    if (tls.secretName)
      for (const text of dnsSubdomain(tls.secretName))
        errors.push(invalid(`spec.tls[${i}].secretName`, tls.secretName, text))
  })
  if (spec.ingressClassName !== undefined)
    for (const text of dnsSubdomain(spec.ingressClassName))
      errors.push(invalid('spec.ingressClassName', spec.ingressClassName, text))
}

const pathTypes: readonly string[] = ['Exact', 'ImplementationSpecific', 'Prefix']
const refusedInPaths = ['//', '/./', '/../', '%2f', '%2F']
const refusedAtEnd = ['/..', '/.']

function checkPath(rule: HTTPIngressPath, at: string, errors: FieldError[]): void {
  const type: string | undefined = rule.pathType
  const path = rule.path ?? ''
  if (type === undefined || type === null) {
    errors.push(required(`${at}.pathType`, 'pathType must be specified'))
    return
  }
  if (type === 'Exact' || type === 'Prefix') {
    if (!path.startsWith('/')) errors.push(invalid(`${at}.path`, path, 'must be an absolute path'))
    for (const part of refusedInPaths)
      if (path.includes(part)) errors.push(invalid(`${at}.path`, path, `must not contain '${part}'`))
    for (const end of refusedAtEnd)
      if (path.endsWith(end)) errors.push(invalid(`${at}.path`, path, `cannot end with '${end}'`))
  } else if (type === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) errors.push(invalid(`${at}.path`, path, 'must be an absolute path'))
  } else errors.push(notSupported(`${at}.pathType`, type, pathTypes))
  checkBackend(rule.backend ?? {}, `${at}.backend`, errors)
}

function checkBackend({ resource, service }: IngressBackend, at: string, errors: FieldError[]): void {
  if (resource !== undefined && service !== undefined)
    errors.push(invalid(at, '', 'cannot set both resource and service backends'))
  else if (resource !== undefined) checkReference(resource, `${at}.resource`, errors)
  else if (service === undefined) errors.push(invalid(at, '', 'resource or service backend is required'))
  else {
    if (!service.name) errors.push(required(`${at}.service.name`))
    else for (const text of dnsLabel1035(service.name)) errors.push(invalid(`${at}.service.name`, service.name, text))
    const { name = '', number = 0 } = service.port ?? {}
    if (name !== '' && number !== 0) errors.push(invalid(at, '', 'cannot set both port name & port number'))
    else if (name !== '') for (const text of portName(name)) errors.push(invalid(`${at}.service.port.name`, name, text))
    else if (number !== 0)
      for (const text of portNumber(number)) errors.push(invalid(`${at}.service.port.number`, number, text))
    else errors.push(required(at, 'port name or number is required'))
  }
}

export function checkReference(
  { apiGroup, kind, name }: Partial<TypedLocalObjectReference>,
  path: string,
  errors: FieldError[],
): void {
  // Null is what an absent group of a decoded reference is.
  if (apiGroup !== undefined && apiGroup !== null)
    for (const text of dnsSubdomain(apiGroup)) errors.push(invalid(`${path}.apiGroup`, apiGroup, text))
  if (!kind) errors.push(required(`${path}.kind`))
  else for (const text of pathSegment(kind)) errors.push(invalid(`${path}.kind`, kind, text))
  if (!name) errors.push(required(`${path}.name`))
  else for (const text of pathSegment(name)) errors.push(invalid(`${path}.name`, name, text))
}

export function validateIngressStatus({ status }: Ingress): readonly FieldError[] {
  const errors: FieldError[] = []
  status?.loadBalancer?.ingress?.forEach(({ ip = '', hostname = '' }, i) => {
    const at = `status.loadBalancer.ingress[${i}]`
    if (ip !== '') checkAddress(ip, `${at}.ip`, errors)
    checkBalancerHostname(hostname, `${at}.hostname`, errors)
  })
  return errors
}
