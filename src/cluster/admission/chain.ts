// The plug-ins as one chain, sorted by the resources they are about, so that a request meets only those that concern it.

import { ValidatingAdmissionPolicyBinding } from '#kinds'
import type { AnyObject } from '#objects'
import type { AdmissionPlugin, AdmissionRequest, AdmissionState } from './plugin.ts'
import { hasMutatingWebhooks, mutateByWebhooks } from './webhooks/mutating.ts'
import { mutatingWebhooks, validatingWebhooks } from './webhooks/plugin.ts'
import { hasValidatingWebhooks, validateByWebhooks } from './webhooks/validating.ts'

export interface AdmissionChain {
  /** The object to go on with. A promise only where webhooks are asked. */
  mutate(request: AdmissionRequest, object: AnyObject): AnyObject | Promise<AnyObject>
  /** What a request without an object meets: mutating webhooks hear of it too. */
  mutateNothing(request: AdmissionRequest): void | Promise<void>
  validate(request: AdmissionRequest): void | Promise<void>
  /** Whether any webhook or policy is configured: without one, nothing here looks at writes of a status. */
  isConfigured(): boolean
}

interface Concerned {
  readonly mutating: readonly AdmissionPlugin[]
  readonly validating: readonly AdmissionPlugin[]
  readonly last: readonly AdmissionPlugin[]
}

export function createAdmissionChain(plugins: readonly AdmissionPlugin[], state: AdmissionState): AdmissionChain {
  const askMutating = plugins.includes(mutatingWebhooks)
  const askValidating = plugins.includes(validatingWebhooks)
  const isMutated = (): boolean => askMutating && hasMutatingWebhooks(state)
  const isValidated = (): boolean => askValidating && hasValidatingWebhooks(state)
  const byResource = new Map<string, Concerned>()
  const concerned = (resource: string): Concerned => {
    const known = byResource.get(resource)
    if (known !== undefined) return known
    const about = plugins.filter(({ resources }) => resources === undefined || resources.includes(resource))
    const found = {
      mutating: about.filter((plugin) => plugin.mutate !== undefined),
      validating: about.filter((plugin) => plugin.validate !== undefined && plugin.isLast !== true),
      last: about.filter((plugin) => plugin.validate !== undefined && plugin.isLast === true),
    }
    byResource.set(resource, found)
    return found
  }
  const runPlugins = (request: AdmissionRequest, object: AnyObject): AnyObject => {
    let current = object
    for (const plugin of concerned(request.resource.resource).mutating)
      current = plugin.mutate?.(current, request, state) ?? current
    return current
  }
  return {
    isConfigured: () => isMutated() || isValidated() || state.count(ValidatingAdmissionPolicyBinding) > 0,
    mutate(request, object) {
      const made = runPlugins(request, object)
      if (!isMutated()) return made
      return mutateByWebhooks(request, made, state, { again: (changed) => runPlugins(request, changed) }).then(
        (changed) => changed ?? made,
      )
    },
    mutateNothing(request) {
      if (!isMutated()) return undefined
      return mutateByWebhooks(request, undefined, state, { again: (object) => object }).then(() => undefined)
    },
    validate(request) {
      const { validating, last } = concerned(request.resource.resource)
      const judged = validateBy(validating, request, state)
      if (judged === undefined && !isValidated()) return validateBy(last, request, state)
      return Promise.resolve(judged)
        .then(() => (isValidated() ? validateByWebhooks(request, state) : undefined))
        .then(() => validateBy(last, request, state))
    },
  }
}

/** One after the other from `first` on. By index: every write comes by here. */
function validateBy(
  plugins: readonly AdmissionPlugin[],
  request: AdmissionRequest,
  state: AdmissionState,
  first = 0,
): void | Promise<void> {
  for (let i = first; i < plugins.length; i += 1) {
    const waiting = plugins[i]?.validate?.(request, state)
    if (waiting instanceof Promise) return waiting.then(() => validateBy(plugins, request, state, i + 1))
  }
}
