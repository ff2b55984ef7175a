// The data of argocd-cm as customizations. Keys are Argo CD's: `resource.customizations.<type>.<group>_<Kind>`, and
// `resource.customizations`, a map of patterns. A key that cannot be read is left out and told; the others stay.

import { parse } from 'yaml'
import { isJsonMap, type Json, type JsonObject } from '#objects'
import { compareOptionsIn, compareOptionsKey, defaultCompareOptions } from './compare-options.ts'
import type { CompareOptions, Customization, Customizations } from './customization.ts'
import { actionsIn, expressionsIn, ignoredIn, ReadFault } from './values.ts'

const wholeKey = 'resource.customizations'

/** Says something of a kind under this key; throws ReadFault. */
type Reader = (key: string, value: string) => Partial<Parts>

interface Parts extends Omit<Customization, 'script'> {
  readonly lua: { readonly key: string; readonly text: string }
  readonly openLibs: boolean
}

const readers: Readonly<Record<string, Reader>> = {
  health: (key, text) => (text.trim() === '' ? {} : { lua: { key, text } }),
  healthExpressions: (key, text) => ({ expressions: expressionsIn(key, yamlOf(text)) }),
  useOpenLibs: (_, text) => ({ openLibs: flagOf(text) }),
  ignoreDifferences: (key, text) => (text.trim() === '' ? {} : { ignored: ignoredIn(key, yamlOf(text)) }),
  actions: (key, text) => (text.trim() === '' ? {} : { actions: actionsIn(key, yamlOf(text)) }),
}

/** Argo CD's own that have no meaning here. */
const otherTypes: ReadonlySet<string> = new Set(['ignoreResourceUpdates', 'knownTypeFields'])

export const noCustomizations: Customizations = { all: [], compare: defaultCompareOptions, faults: [] }

export function readCustomizations(data: Readonly<Record<string, string>>): Customizations {
  const parts = new Map<string, Partial<Parts>>()
  const faults: string[] = []
  const add = (pattern: string, read: () => Partial<Parts>, key: string): void => {
    try {
      parts.set(pattern, { ...parts.get(pattern), ...read() })
    } catch (error) {
      if (!(error instanceof ReadFault)) throw error
      faults.push(`argocd-cm ${key}: ${error.message}`)
    }
  }
  for (const { key, pattern, read } of statements(data, faults)) add(pattern, read, key)
  const all = [...parts].map(([pattern, { lua, openLibs = false, ...rest }]) => ({
    ...rest,
    pattern,
    ...(lua === undefined ? {} : { script: { ...lua, openLibs } }),
  }))
  for (const { script, expressions } of all)
    if (script !== undefined && expressions !== undefined)
      faults.push(`argocd-cm ${expressions.key}: is not used, for the same kind has a script under ${script.key}`)
  return { all, compare: compareIn(data, faults), faults }
}

function compareIn(data: Readonly<Record<string, string>>, faults: string[]): CompareOptions {
  try {
    return compareOptionsIn(yamlOf(data[compareOptionsKey] ?? ''))
  } catch (error) {
    if (!(error instanceof ReadFault)) throw error
    faults.push(`argocd-cm ${compareOptionsKey}: ${error.message}`)
    return defaultCompareOptions
  }
}

interface Statement {
  readonly key: string
  readonly pattern: string
  readonly read: () => Partial<Parts>
}

/** The map first: keys of their own come after it and replace what it says. */
function statements(data: Readonly<Record<string, string>>, faults: string[]): readonly Statement[] {
  const found: Statement[] = []
  try {
    found.push(...inWhole(data[wholeKey] ?? ''))
  } catch (error) {
    if (!(error instanceof ReadFault)) throw error
    faults.push(`argocd-cm ${wholeKey}: ${error.message}`)
  }
  for (const [key, value] of Object.entries(data)) {
    const [, type = '', name = ''] = /^resource\.customizations\.([^.]+)\.(.+)$/.exec(key) ?? []
    const reader = readers[type]
    if (reader !== undefined)
      found.push({ key, pattern: patternOf(name), read: () => reader(key, readable(name, value)) })
    else if (type !== '' && !otherTypes.has(type))
      faults.push(`argocd-cm ${key}: ${type} is no customization; known are ${Object.keys(readers).join(', ')}`)
  }
  return found
}

/** `group_Kind` or `Kind`. */
function patternOf(name: string): string {
  if (name === 'all') return '*/*'
  return name.replace('_', '/')
}

function readable(name: string, value: string): string {
  if (name.split('_').length <= 2) return value
  throw new ReadFault('the end of the key must be <group>_<Kind>, or <Kind> for the core group')
}

const whole: Readonly<Record<string, string>> = {
  'health.lua': 'health',
  'health.lua.useOpenLibs': 'useOpenLibs',
  healthExpressions: 'healthExpressions',
  actions: 'actions',
  ignoreDifferences: 'ignoreDifferences',
}

function inWhole(text: string): readonly Statement[] {
  const map = yamlOf(text) ?? {}
  if (!isJsonMap(map)) throw new ReadFault('must be a map of <group>/<Kind> to its customizations')
  return Object.entries(map).flatMap(([pattern, of]) => {
    if (!isJsonMap(of)) throw new ReadFault(`${pattern}: must be a map, with health.lua for example`)
    return Object.entries(whole).flatMap(([field, type]): readonly Statement[] => {
      const value = (of as JsonObject)[field]
      const reader = readers[type]
      if (value === undefined || value === null || reader === undefined) return []
      const key = `${wholeKey} ${pattern} ${field}`
      return [{ key, pattern, read: () => reader(key, typeof value === 'string' ? value : JSON.stringify(value)) }]
    })
  })
}

function flagOf(text: string): boolean {
  if (/^(1|t|true)$/i.test(text.trim())) return true
  if (/^(0|f|false)$/i.test(text.trim())) return false
  throw new ReadFault(`must be "true" or "false", not ${JSON.stringify(text)}`)
}

function yamlOf(text: string): Json | undefined {
  try {
    return (parse(text) ?? undefined) as Json | undefined
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new ReadFault(`is no YAML: ${line.replace(/:$/, '')}`)
  }
}
