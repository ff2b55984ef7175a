// What both versions of OpenAPI say in the same words: who is let in, what a code means, and what Kubernetes adds.

import type { JsonObject } from '#objects'
import type { Operation } from './operations.ts'

export const security: JsonObject = {
  BearerToken: { description: 'Bearer Token authentication', in: 'header', name: 'authorization', type: 'apiKey' },
}

export const unauthorized: JsonObject = { 401: { description: 'Unauthorized' } }

const words: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

export const wordOf = (code: string): string => words[code] ?? ''

export const extensionsOf = ({ action, kind }: Operation): JsonObject => ({
  ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
  ...(kind === undefined
    ? {}
    : { 'x-kubernetes-group-version-kind': { group: kind.group, kind: kind.kind, version: kind.version } }),
})
