// Why an Ingress leads nowhere: nobody looks after it, or what it leads to is not there. Pure.

import type { Ingress, IngressClass, Service } from '#kinds'
import type { AnyObject } from '#objects'
import { explainDeletion } from './deletion.ts'
import { describeObject, type Finding, sinceTime, withBelow } from './finding.ts'

export interface IngressObservation {
  readonly object: Ingress
  readonly classes: readonly IngressClass[]
  /** The Services of its namespace that it leads to, and what is to be said of each. */
  readonly backends: readonly { readonly service: Service; readonly findings: readonly Finding[] }[]
}

interface Backend {
  readonly name: string
  readonly port: string | number | undefined
}

const oldClass = 'kubernetes.io/ingress.class'
const isDefault = 'ingressclass.kubernetes.io/is-default-class'

/** Services that it names, each with the port. */
export function backendsOf({ spec }: Ingress): readonly Backend[] {
  const all = [
    spec?.defaultBackend,
    ...(spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []).map((path) => path.backend),
  ]
  return all.flatMap((backend) =>
    backend?.service === undefined
      ? []
      : [{ name: backend.service.name, port: backend.service.port?.name ?? backend.service.port?.number }],
  )
}

export function explainIngress({ object, classes, backends }: IngressObservation): readonly Finding[] {
  const deletion = explainDeletion(object as unknown as AnyObject)
  if (deletion !== undefined) return [deletion]
  const common = { object: describeObject(object), ...sinceTime(object.metadata.creationTimestamp) }
  const named = object.spec?.ingressClassName ?? object.metadata.annotations?.[oldClass]
  const chosen =
    named === undefined
      ? classes.find(({ metadata }) => metadata.annotations?.[isDefault] === 'true')
      : classes.find(({ metadata }) => metadata.name === named)
  const evidence = [
    `spec.ingressClassName is ${named ?? 'not set'}, IngressClasses: ${classes.map(({ metadata }) => metadata.name).join(', ') || 'none'}`,
  ]
  if (chosen === undefined)
    return [
      {
        ...common,
        state: 'stuck',
        loop: 'none: no ingress controller looks after it',
        gap:
          named === undefined
            ? 'it names no class, and no IngressClass is the default one'
            : `there is no IngressClass ${named}`,
        evidence,
        advice: 'Name one that is there (kubectl get ingressclass), or create it with the controller that runs here.',
      },
    ]
  const missing = missingBackend(object, backends)
  if (missing !== undefined)
    return [{ ...common, state: 'stuck', loop: 'whoever makes its Services', gap: missing, evidence }]
  const address = object.status?.loadBalancer?.ingress ?? []
  const { name: className } = chosen.metadata
  const finding: Finding =
    address.length > 0
      ? {
          ...common,
          state: 'converged',
          loop: 'none',
          gap: `the controller of class ${className} serves it at ${address.map(({ ip, hostname }) => ip ?? hostname).join(', ')}`,
          evidence,
        }
      : {
          ...common,
          state: 'progressing',
          loop: `ingress controller of class ${className}`,
          gap: 'it has no address yet',
          evidence,
        }
  return withBelow(
    finding,
    backends.map(({ findings }) => findings),
  )
}

function missingBackend(object: Ingress, backends: IngressObservation['backends']): string | undefined {
  for (const { name, port } of backendsOf(object)) {
    const service = backends.find((backend) => backend.service.metadata.name === name)?.service
    if (service === undefined) return `it leads to the Service ${name}, which does not exist`
    const ports = service.spec?.ports ?? []
    if (port !== undefined && !ports.some((has) => has.port === port || has.name === port))
      return `it leads to port ${port} of the Service ${name}, which has ${ports.map((has) => has.name ?? has.port).join(', ') || 'none'}`
  }
  return undefined
}
