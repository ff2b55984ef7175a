// Which ingress controller looks after an Ingress. Pure.

import type { Ingress, IngressClass } from '#kinds'

const oldClass = 'kubernetes.io/ingress.class'
const isDefault = 'ingressclass.kubernetes.io/is-default-class'

/** The class of an Ingress: named, or the default one (the oldest, where there are several). */
export function classOf({ spec, metadata }: Ingress, classes: readonly IngressClass[]): IngressClass | undefined {
  const name = spec?.ingressClassName ?? metadata.annotations?.[oldClass]
  if (name !== undefined) return classes.find((one) => one.metadata.name === name)
  return classes
    .filter((one) => one.metadata.annotations?.[isDefault] === 'true')
    .toSorted((a, b) => ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1))[0]
}

/** ingress-nginx tells when it takes up an Ingress; other controllers have no event in common. */
export const announces = ({ spec }: IngressClass): boolean => spec?.controller === 'k8s.io/ingress-nginx'

/** Controllers tell their address at intervals. */
export const publishMs = 30_000
