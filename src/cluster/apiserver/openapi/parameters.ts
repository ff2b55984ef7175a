// The parameters of requests, told once for both forms of OpenAPI: those that every path has, and those of a kind of
// options. Texts are Kubernetes' own.

import type { ParameterTexts } from '#kinds'

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly type: string
  readonly about: string
}

const inPath = (name: string, about: string): Parameter => ({ name, in: 'path', type: 'string', about })

export const nameOf = (kind: string): Parameter => inPath('name', `name of the ${kind}`)
export const namespace = inPath('namespace', 'object name and auth scope, such as for teams and projects')
export const pathBelow = inPath('path', 'path to the resource')
export const pretty: Parameter = {
  name: 'pretty',
  in: 'query',
  type: 'string',
  about:
    "If 'true', then the output is pretty printed. Defaults to 'false' unless the user-agent indicates a browser or command-line HTTP tool (curl and wget).",
}

/** What a kind of options adds to a query, but for the parameters named. */
export const optionsOf = (texts: ParameterTexts, kind: string, without: readonly string[] = []): readonly Parameter[] =>
  Object.entries(texts[kind] ?? {})
    .filter(([name]) => !without.includes(name))
    .map(([name, [type, about]]) => ({ name, in: 'query', type, about }))

const sameParameter = (a: Parameter, b: Parameter): boolean => a.name === b.name && a.in === b.in

/** What all operations of a path take stands at the path, the rest at each: as Kubernetes writes it. */
export const commonTo = (lists: readonly (readonly Parameter[])[]): readonly Parameter[] =>
  (lists[0] ?? []).filter((one) => lists.every((list) => list.some((other) => sameParameter(one, other))))

export const without = (list: readonly Parameter[], common: readonly Parameter[]): readonly Parameter[] =>
  list.filter((one) => !common.some((other) => sameParameter(one, other)))

export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0
