// DefaultIngressClass: an Ingress that names no class gets the default one, if there is any.
// Reads: IngressClass.

import { type Ingress, IngressClass } from '#kinds'
import type { AnyObject } from '#objects'
import type { AdmissionPlugin, AdmissionRequest, AdmissionState } from '../plugin.ts'

const isDefault = 'ingressclass.kubernetes.io/is-default-class'
const oldClass = 'kubernetes.io/ingress.class'

function mutate(object: AnyObject, { operation, subresource }: AdmissionRequest, state: AdmissionState): AnyObject {
  if (operation !== 'CREATE' || subresource !== '') return object
  const ingress = object as unknown as Ingress
  if (ingress.spec?.ingressClassName !== undefined || ingress.metadata.annotations?.[oldClass] !== undefined)
    return object
  const [found] = state
    .list(IngressClass)
    .filter(({ metadata }) => metadata.annotations?.[isDefault] === 'true')
    .toSorted((a, b) => {
      const [x = '', y = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp]
      return x === y ? ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1) : x > y ? -1 : 1
    })
  const ingressClassName = found?.metadata.name
  return ingressClassName === undefined ? object : { ...object, spec: { ...ingress.spec, ingressClassName } }
}

export const defaultIngressClass: AdmissionPlugin = { name: 'DefaultIngressClass', resources: ['ingresses'], mutate }
