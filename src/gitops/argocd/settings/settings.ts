// What the ConfigMaps argocd-cm and argocd-cmd-params-cm say to all applications. Keys are Argo CD's.

import { type Customizations, noCustomizations, readCustomizations } from '#gitops/customizations'
import { type ApplicationSource, ConfigMap } from '#kinds'
import type { Cache } from '#reconcile'
import { argocdNamespace } from '../application/names.ts'
import { parametersName } from './compare-way.ts'

const settingsName = 'argocd-cm'
const settingsKey = `${argocdNamespace}/${settingsName}`

const parametersKey = `${argocdNamespace}/${parametersName}`

/** What all applications are looked at again for. */
export const isSettings = ({ metadata: { namespace, name } }: ConfigMap): boolean =>
  namespace === argocdNamespace && (name === settingsName || name === parametersName)

const customizations = new WeakMap<ConfigMap, Customizations>()

/** `resource.customizations…`: the same answer as long as the ConfigMap stays as it is. */
export function customizationsOf(cache: Cache): Customizations {
  const map = cache.get(ConfigMap, settingsKey)
  if (map === undefined) return noCustomizations
  const known = customizations.get(map)
  if (known !== undefined) return known
  const made = readCustomizations(map.data ?? {})
  customizations.set(map, made)
  return made
}

/** Whether what manifests of a kind say of their status is applied and compared. */
export function countsStatus(cache: Cache, kind: string): boolean {
  const { ignoreResourceStatusField: ignored } = customizationsOf(cache).compare
  return ignored === 'none' || (ignored === 'crd' && kind !== 'CustomResourceDefinition')
}

/** `kustomize.buildOptions`, or that of the version that a source names. */
export function buildOptionsOf(cache: Cache, { kustomize }: ApplicationSource): string {
  const data = cache.get(ConfigMap, settingsKey)?.data
  const version = kustomize?.version
  const own = version === undefined ? undefined : data?.[`kustomize.buildOptions.${version}`]
  return own ?? data?.['kustomize.buildOptions'] ?? ''
}

/** Whether submodules are read: `reposerver.enable.git.submodule`. */
export const readsSubmodules = (cache: Cache): boolean =>
  cache.get(ConfigMap, parametersKey)?.data?.['reposerver.enable.git.submodule'] !== 'false'
