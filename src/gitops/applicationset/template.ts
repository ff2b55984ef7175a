// Fills parameters into values: every text of a value, keys included, is a template of its own. Pure.

import { executeTemplate } from '#gitops/gotemplate'
import type { Json, JsonObject } from '#objects'

/** Nested for Go templates; flat, with texts only, otherwise (`path.basename`, `metadata.labels.env`). */
export type Params = JsonObject

export interface TemplateStyle {
  readonly goTemplate: boolean
  readonly missingKeyIsFault: boolean
}

/** Throws TemplateFault. */
export function fillText(text: string, params: Params, style: TemplateStyle): string {
  if (!text.includes('{{')) return text
  return style.goTemplate ? executeTemplate(text, params, style) : fillNames(text, params)
}

/** `{{ name }}`; what names nothing stays as it is. */
const fillNames = (text: string, params: Params): string =>
  text.replace(/\{\{([^{}]*)\}\}/g, (whole, inside: string) => {
    const value = Object.hasOwn(params, inside.trim()) ? params[inside.trim()] : undefined
    return value === undefined || value === null ? whole : typeof value === 'string' ? value : JSON.stringify(value)
  })

export function fill<T extends Json>(value: T, params: Params, style: TemplateStyle): T {
  return fillAny(value, params, style) as T
}

function fillAny(value: Json, params: Params, style: TemplateStyle): Json {
  if (typeof value === 'string') return fillText(value, params, style)
  if (Array.isArray(value)) return value.map((item: Json) => fillAny(item, params, style))
  if (typeof value !== 'object' || value === null) return value
  const filled: Record<string, Json> = {}
  for (const [key, item] of Object.entries(value)) filled[fillText(key, params, style)] = fillAny(item, params, style)
  return filled
}

/** `{a: {b: 1}}` as `{'a.b': '1'}`: what templates that are not Go's are given. */
export function flatten(value: Json, prefix = ''): Params {
  const flat: Record<string, Json> = {}
  const visit = (inner: Json, path: string): void => {
    if (Array.isArray(inner)) for (const [index, item] of inner.entries()) visit(item as Json, `${path}.${index}`)
    else if (typeof inner === 'object' && inner !== null)
      for (const [key, item] of Object.entries(inner)) visit(item, path === '' ? key : `${path}.${key}`)
    else flat[path] = inner === null ? '' : String(inner)
  }
  visit(value, prefix)
  return flat
}

/** `values` of a generator, which may use its other parameters. */
export function withValues(
  params: Params,
  values: Readonly<Record<string, string>> | undefined,
  style: TemplateStyle,
): Params {
  if (values === undefined) return params
  const filled = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, fillText(text, params, style)]))
  return style.goTemplate ? { ...params, values: filled } : { ...params, ...flatten(filled, 'values') }
}
