// Values of Secrets and ConfigMaps that generators name, and which sets name them.

import { ApplicationSet, ConfigMap, Secret } from '#kinds'
import type { Cache } from '#reconcile'
import type { Reads } from './generators/answers.ts'
import { GeneratorFault } from './generators/fault.ts'

/** Reads of a namespace. They throw GeneratorFault for what is not there. */
export function readsOf(cache: Cache, namespace: string): Reads {
  return {
    secret({ secretName, key }) {
      const value = cache.get(Secret, `${namespace}/${secretName}`)?.data?.[key]
      if (value === undefined)
        throw new GeneratorFault(`error fetching secret: ${missing('Secret', namespace, secretName, key)}`)
      return Buffer.from(value, 'base64').toString('utf8').trim()
    },
    configMap({ configMapName, key }) {
      const value = cache.get(ConfigMap, `${namespace}/${configMapName}`)?.data?.[key]
      if (value === undefined)
        throw new GeneratorFault(`error fetching ConfigMap: ${missing('ConfigMap', namespace, configMapName, key)}`)
      return value
    },
  }
}

const missing = (...[kind, namespace, name, key]: readonly string[]): string =>
  `${kind} ${namespace}/${name} is not there or has no key ${key}`

/** Sets that a Secret or ConfigMap of this name may concern. */
export function setsNaming(cache: Cache, { metadata }: Secret | ConfigMap): readonly ApplicationSet[] {
  const quoted = JSON.stringify(metadata.name ?? '')
  return cache
    .list(ApplicationSet, metadata.namespace ?? '')
    .filter(({ spec }) => asksOutside(spec.generators) && JSON.stringify(spec.generators).includes(quoted))
}

const asking = ['pullRequest', 'scmProvider', 'plugin'] as const

function asksOutside(generators: ApplicationSet['spec']['generators']): boolean {
  return generators.some(
    (generator) =>
      asking.some((name) => generator[name] !== undefined) ||
      asksOutside(generator.matrix?.generators ?? []) ||
      asksOutside(generator.merge?.generators ?? []),
  )
}
