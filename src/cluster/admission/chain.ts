// The plug-ins as one chain, sorted by the resources they are about, so that a request meets only those that concern it.

import type { AnyObject } from '#objects'
import type { AdmissionPlugin, AdmissionRequest, AdmissionState } from './plugin.ts'

export interface AdmissionChain {
  /** The object to go on with. A promise only where webhooks are asked. */
  mutate(request: AdmissionRequest, object: AnyObject): AnyObject | Promise<AnyObject>
  validate(request: AdmissionRequest): void | Promise<void>
}

interface Concerned {
  readonly mutating: readonly AdmissionPlugin[]
  readonly validating: readonly AdmissionPlugin[]
}

export function createAdmissionChain(plugins: readonly AdmissionPlugin[], state: AdmissionState): AdmissionChain {
  const byResource = new Map<string, Concerned>()
  const concerned = (resource: string): Concerned => {
    const known = byResource.get(resource)
    if (known !== undefined) return known
    const about = plugins.filter(({ resources }) => resources === undefined || resources.includes(resource))
    const found = {
      mutating: about.filter((plugin) => plugin.mutate !== undefined),
      validating: about.filter((plugin) => plugin.validate !== undefined),
    }
    byResource.set(resource, found)
    return found
  }
  return {
    mutate(request, object) {
      let current = object
      for (const plugin of concerned(request.resource.resource).mutating)
        current = plugin.mutate?.(current, request, state) ?? current
      return current
    },
    validate(request) {
      for (const plugin of concerned(request.resource.resource).validating) plugin.validate?.(request, state)
    },
  }
}
