// What the ConfigMap argocd-cm says to all applications. Keys are Argo CD's.

import { type ApplicationSource, ConfigMap } from '#kinds'
import type { Cache } from '#reconcile'
import { argocdNamespace } from './names.ts'

const settingsName = 'argocd-cm'
const settingsKey = `${argocdNamespace}/${settingsName}`

export const isSettings = ({ metadata }: ConfigMap): boolean =>
  metadata.name === settingsName && metadata.namespace === argocdNamespace

/** `kustomize.buildOptions`, or that of the version that a source names. */
export function buildOptionsOf(cache: Cache, { kustomize }: ApplicationSource): string {
  const data = cache.get(ConfigMap, settingsKey)?.data
  const version = kustomize?.version
  const own = version === undefined ? undefined : data?.[`kustomize.buildOptions.${version}`]
  return own ?? data?.['kustomize.buildOptions'] ?? ''
}
