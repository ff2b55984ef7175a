// How an answer off the wire becomes what an in-process server would have answered: objects of a list carry their kind,
// and managedFields are there only for those who asked.

import { type ApiRequest, type ApiResponse, type ResponseBody, refusal } from '#api'
import type { AnyObject } from '#objects'

type Mutable = Record<string, unknown>

/** A freshly parsed object (nobody else has seen it), changed in place into the form of the contract. */
export function decodeObject(parsed: unknown, request: ApiRequest): AnyObject {
  const object = parsed as Mutable
  const keep = request.accept?.managedFields === true
  const { items, kind, apiVersion } = object
  if (Array.isArray(items) && typeof kind === 'string' && kind.endsWith('List')) {
    const itemKind = kind.slice(0, -'List'.length)
    object['items'] = items.map((item: Mutable) => {
      if (!keep) dropManagedFields(item)
      return item['kind'] === undefined ? { apiVersion, kind: itemKind, ...item } : item
    })
  } else if (!keep) dropManagedFields(object)
  return object as AnyObject
}

function dropManagedFields(object: Mutable): void {
  const metadata = object['metadata']
  if (typeof metadata === 'object' && metadata !== null) delete (metadata as Mutable)['managedFields']
}

/** The body of a complete answer. */
export function decodeBody(text: string, contentType: string, request: ApiRequest): ResponseBody {
  if (!contentType.includes('json')) return { type: 'text', contentType, text }
  try {
    return { type: 'object', object: decodeObject(JSON.parse(text), request) }
  } catch {
    return { type: 'text', contentType, text }
  }
}

/** Texts of `Warning: 299 - "text"` headers. */
export function warningsOf(header: string | readonly string[] | undefined): readonly string[] {
  const lines = header === undefined ? [] : typeof header === 'string' ? [header] : header
  return lines.flatMap((line) =>
    [...line.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) => (match[1] ?? '').replace(/\\(.)/g, '$1')),
  )
}

/** A failure that is not of the server's making: no connection, a broken answer. */
export const unreachable = (message: string): ApiResponse =>
  refusal({ code: 503, reason: 'ServiceUnavailable', message })
