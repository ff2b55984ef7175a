// Objects as YAML for reading: apiVersion, kind and metadata first, the rest by name.

import { stringify } from 'yaml'

const first = ['apiVersion', 'kind', 'metadata', 'name', 'namespace', 'spec', 'data']
const place = (key: string): number => {
  const i = first.indexOf(key)
  return i < 0 ? first.length : i
}

const byPlace = (a: { readonly key: unknown }, b: { readonly key: unknown }): number =>
  place(String(a.key)) - place(String(b.key)) || String(a.key).localeCompare(String(b.key))

/** `value` as YAML text without a final line break. */
export const toYaml = (value: unknown): string => stringify(value, { sortMapEntries: byPlace, lineWidth: 0 }).trimEnd()
