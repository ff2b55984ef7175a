// URLs: absolute ones and paths, taken apart as Go takes them apart (k8s.io/apiserver/pkg/cel/library/urls.go). Nothing is
// made more regular: hosts, ports and paths stay as they are written.

import type { Functions } from '../types/functions.ts'
import { type CelType, parseType } from '../types/type.ts'
import { TypedValue } from '../values/typed.ts'

interface Parts {
  readonly scheme: string
  /** With its port. */
  readonly host: string
  readonly path: string
  readonly query: string
}

const type = parseType('kubernetes.URL')

class CelUrl extends TypedValue {
  readonly celType: CelType = type
  readonly text: string
  readonly parts: Parts
  constructor(text: string, parts: Parts) {
    super()
    this.text = text
    this.parts = parts
  }

  override equals(other: CelUrl): boolean {
    return this.text === other.text
  }
}

const form = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#[\s\S]*)?$/

/** What is wrong with the text, as Go's ParseRequestURI says it; undefined if nothing. */
export function urlFault(text: string): string | undefined {
  const quoted = JSON.stringify(text)
  if (text === '') return `parse "": empty url`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\x00-\x1f\x7f]/.test(text)) return `parse ${quoted}: net/url: invalid control character in URL`
  const [, scheme, host = '', path = ''] = form.exec(text) ?? []
  if (scheme === undefined && text.startsWith(':')) return `parse ${quoted}: missing protocol scheme`
  if (scheme === undefined && !text.startsWith('/')) return `parse ${quoted}: invalid URI for request`
  if (scheme !== undefined && host === '' && !path.startsWith('/') && path === '' && !text.includes('//'))
    return `parse ${quoted}: invalid URI for request`
  const port = /:([^:\]]*)$/.exec(host.replace(/^.*@/, ''))?.[1]
  if (port !== undefined && !/^\d*$/.test(port)) return `parse ${quoted}: invalid port ":${port}" after host`
  const letter = /[ "<>\\^`{|}]/.exec(host)?.[0]
  if (letter !== undefined) return `parse ${quoted}: invalid character ${JSON.stringify(letter)} in host name`
  const wrong = /%(?![0-9a-fA-F]{2})[\s\S]{0,2}/.exec(path)?.[0]
  return wrong === undefined ? undefined : `parse ${quoted}: invalid URL escape ${JSON.stringify(wrong)}`
}

function parseUrl(text: string): CelUrl {
  const fault = urlFault(text)
  if (fault !== undefined) throw new Error(`URL parse error during conversion from string: ${fault}`)
  const [, scheme = '', authority = '', path = '', query = ''] = form.exec(text) ?? []
  const isOpaque = scheme !== '' && !path.startsWith('/') && !text.includes('//')
  return new CelUrl(text, {
    scheme: scheme.toLowerCase(),
    host: authority.slice(authority.lastIndexOf('@') + 1),
    path: isOpaque ? '' : path,
    query,
  })
}

const hostname = (host: string): string => host.replace(/:\d*$/, '').replace(/^\[([\s\S]*)\]$/, '$1')
const port = (host: string): string => /:(\d*)$/.exec(host)?.[1] ?? ''

/** Letters that a path may hold are kept, others are written as bytes. */
const escapedPath = (path: string): string =>
  encodeURI(path).replaceAll('%25', '%').replaceAll('%5B', '[').replaceAll('%5D', ']')

function queryOf(query: string): Readonly<Record<string, readonly string[]>> {
  const params = new URLSearchParams(query)
  return Object.fromEntries([...new Set(params.keys())].map((key) => [key, params.getAll(key)]))
}

export function addUrls(functions: Functions): void {
  const part = (name: string, result: string, of: (parts: Parts) => unknown): void => {
    functions.declare(name, `kubernetes.URL.() -> ${result}`, ({ parts }: CelUrl) => of(parts))
  }
  functions.declare('url', '(string) -> kubernetes.URL', parseUrl)
  functions.declare('isURL', '(string) -> bool', (text: string) => urlFault(text) === undefined)
  part('getScheme', 'string', ({ scheme }) => scheme)
  part('getHost', 'string', ({ host }) => host)
  part('getHostname', 'string', ({ host }) => hostname(host))
  part('getPort', 'string', ({ host }) => port(host))
  part('getEscapedPath', 'string', ({ path }) => escapedPath(path))
  part('getQuery', 'map(string, list(string))', ({ query }) => queryOf(query))
}
