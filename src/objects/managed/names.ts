// How Kubernetes speaks of an applied configuration, which may hold anything at the places of its names.

import type { KubeObject } from '../object.ts'

/** What is no text is taken for none. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** `group/version, Kind=kind`; nothing at all where the version is none. */
export function kindText(config: KubeObject): string {
  const [apiVersion, kind] = [textOf(config.apiVersion), textOf(config.kind)]
  const parts = apiVersion === '/' ? [''] : apiVersion.split('/')
  if (parts.length > 2) return '/, Kind='
  return `${parts.length === 2 ? apiVersion : `/${parts[0]}`}, Kind=${kind}`
}

/** `namespace/name; group/version, Kind=kind` of a configuration. */
export function configurationName(config: KubeObject): string {
  const metadata: KubeObject['metadata'] | null | undefined = config.metadata
  return `${textOf(metadata?.namespace)}/${textOf(metadata?.name)}; ${kindText(config)}`
}
