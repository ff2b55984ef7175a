// AlwaysPullImages: whoever runs an image must be able to pull it, so that nobody takes another's private image from a node.

import type { Container, Pod, PodSpec } from '#kinds'
import type { AnyObject } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, refuse } from '../plugin.ts'

const lists = ['containers', 'initContainers', 'ephemeralContainers'] as const
const always = 'Always'

type Listed = Pick<Container, 'name' | 'imagePullPolicy'>

const containersOf = (object: AnyObject | undefined): readonly Container[] => {
  const spec = (object as unknown as Pod | undefined)?.spec
  return lists.flatMap((list) => (spec?.[list] ?? []) as readonly Container[])
}

/** Of a pod that is there nothing is asked but where it gets another image. */
function isConcerned({ operation, subresource, old }: AdmissionRequest, object: AnyObject | undefined): boolean {
  if (subresource !== '' || object === undefined) return false
  if (operation === 'CREATE') return true
  const images = new Set(containersOf(old).map(({ image }) => image))
  return operation === 'UPDATE' && containersOf(object).some(({ image }) => !images.has(image))
}

function mutate(object: AnyObject, request: AdmissionRequest): AnyObject {
  if (!isConcerned(request, object)) return object
  const { spec } = object as unknown as Pod
  if (spec === undefined) return object
  const changed = lists.flatMap((list) => {
    const containers: readonly Listed[] = spec[list] ?? []
    if (containers.every(({ imagePullPolicy }) => imagePullPolicy === always)) return []
    return [[list, containers.map((container) => ({ ...container, imagePullPolicy: always }))] as const]
  })
  return changed.length === 0 ? object : { ...object, spec: { ...spec, ...Object.fromEntries(changed) } as PodSpec }
}

function validate(request: AdmissionRequest): void {
  const { object } = request
  if (!isConcerned(request, object)) return
  const { spec } = object as unknown as Pod
  for (const list of lists)
    for (const [i, { imagePullPolicy = '' }] of ((spec?.[list] ?? []) as readonly Listed[]).entries())
      if (imagePullPolicy !== always)
        throw refuse(
          request,
          `spec.${list}[${i}].imagePullPolicy: Unsupported value: ${JSON.stringify(imagePullPolicy)}: supported values: "Always"`,
        )
}

export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  resources: ['pods'],
  isOptional: true,
  mutate,
  validate,
}
