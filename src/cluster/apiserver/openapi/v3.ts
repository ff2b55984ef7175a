// Operations in the words of OpenAPI v3: bodies and answers by media type, parameters with a schema.

import type { JsonObject } from '#objects'
import { serverVersion } from '../discovery/version.ts'
import type { Content as DocumentContent } from './contents.ts'
import type { Document } from './made-once.ts'
import type { Content, Operation } from './operations.ts'
import { byName, commonTo, type Parameter, without } from './parameters.ts'
import { extensionsOf, security, unauthorized, wordOf } from './same-words.ts'

export const schemaPrefix = '#/components/schemas/'

const parameterOf = ({ name, in: place, type, about }: Parameter): JsonObject => ({
  name,
  in: place,
  description: about,
  ...(place === 'path' ? { required: true } : {}),
  schema: { type, uniqueItems: true },
})

const parametersOf = (list: readonly Parameter[]): JsonObject =>
  list.length === 0 ? {} : { parameters: list.toSorted(byName).map(parameterOf) }

function contentOf(types: readonly string[], content: Content): JsonObject {
  if (content === undefined) return {}
  const schema = content === 'string' ? { type: 'string' } : { $ref: `${schemaPrefix}${content}` }
  return { content: Object.fromEntries(types.map((type) => [type, { schema }])) }
}

function operationOf(operation: Operation, common: readonly Parameter[]): JsonObject {
  const { id, about, tag, body, produces, consumes, responses } = operation
  const answers = Object.entries(responses).map(([code, content]) => [
    code,
    { description: wordOf(code), ...contentOf(produces, content) },
  ])
  return {
    tags: [tag],
    ...(about === undefined ? {} : { description: about }),
    operationId: id,
    ...parametersOf(without(operation.parameters, common)),
    ...(body === undefined
      ? {}
      : { requestBody: { ...contentOf(consumes, body.schema), ...(body.required ? { required: true } : {}) } }),
    responses: { ...Object.fromEntries(answers), ...unauthorized },
    ...extensionsOf(operation),
  }
}

export function pathItem(operations: readonly Operation[]): JsonObject {
  const common = commonTo(operations.map(({ parameters }) => parameters))
  return {
    ...Object.fromEntries(operations.map((operation) => [operation.method, operationOf(operation, common)])),
    ...parametersOf(common),
  }
}

export function openApiDocument(content: DocumentContent): Document {
  return {
    head: {
      openapi: '3.0.0',
      info: content.isCustom
        ? { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' }
        : { title: 'Kubernetes', version: serverVersion.gitVersion },
    },
    sections: [
      {
        name: 'paths',
        *entries() {
          for (const [path, operations] of content.paths()) yield [path, pathItem(operations)]
        },
      },
      { name: 'schemas', entries: content.schemas },
    ],
    tail: content.isCustom ? {} : { securitySchemes: security },
  }
}
