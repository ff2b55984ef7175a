// Operations in the words of OpenAPI v2: media types at the operation, bodies as parameters, and parameters that many
// paths share told once, under a name with a hash of what they are.

import type { JsonObject } from '#objects'
import { serverVersion } from '../discovery/version.ts'
import type { Content as DocumentContent } from './contents.ts'
import type { Document } from './made-once.ts'
import type { Content, Operation } from './operations.ts'
import { byName, commonTo, type Parameter, without } from './parameters.ts'
import { extensionsOf, security, unauthorized, wordOf } from './same-words.ts'
import { swaggerDefinition, swaggerRef } from './swagger-schema.ts'

/** In the order in which Kubernetes writes a parameter, which is what the hash is made of. */
const parameterOf = ({ name, in: place, type, about }: Parameter): JsonObject => ({
  uniqueItems: true,
  type,
  description: about,
  name,
  in: place,
  ...(place === 'path' ? { required: true } : {}),
})

/** Clients of old look for these at the operation itself; the name says which kind it is of. */
const isShared = ({ name }: Parameter): boolean => name !== 'name' && name !== 'dryRun' && name !== 'fieldValidation'

const hashOffset = 0xcbf29ce484222325n
const hashPrime = 0x100000001b3n

/** FNV-1 of 64 bits, of which 6 bytes are told. */
function hashOf(text: string): string {
  let hash = hashOffset
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, hash * hashPrime) ^ BigInt(byte)
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(hash)
  return bytes.subarray(0, 6).toString('base64url')
}

/** The parameters of one document: which are shared, and what refers to them. */
export class SharedParameters {
  readonly #all = new Map<string, JsonObject>()
  readonly #names = new Map<string, string>()

  refer(parameter: JsonObject): JsonObject {
    const text = JSON.stringify(parameter)
    let name = this.#names.get(text)
    if (name === undefined) {
      name = `${parameter['name'] as string}-${hashOf(text)}`
      this.#names.set(text, name)
      this.#all.set(name, parameter)
    }
    return { $ref: `#/parameters/${name}` }
  }

  all(): readonly (readonly [name: string, parameter: JsonObject])[] {
    return [...this.#all].sort(([a], [b]) => (a < b ? -1 : 1))
  }
}

const schemaOf = (content: Content): JsonObject =>
  content === undefined ? {} : { schema: content === 'string' ? { type: 'string' } : { $ref: swaggerRef(content) } }

function bodyOf({ body }: Operation, shared: SharedParameters): readonly JsonObject[] {
  if (body === undefined) return []
  const parameter = { name: 'body', in: 'body', ...(body.required ? { required: true } : {}), ...schemaOf(body.schema) }
  return [body.schema.startsWith('io.k8s.apimachinery') ? shared.refer(parameter) : parameter]
}

function parametersOf(list: readonly Parameter[], shared: SharedParameters): readonly JsonObject[] {
  return list
    .toSorted(byName)
    .map((parameter) => (isShared(parameter) ? shared.refer(parameterOf(parameter)) : parameterOf(parameter)))
}

function operationOf(operation: Operation, common: readonly Parameter[], shared: SharedParameters): JsonObject {
  const { id, about, tag, consumes, produces, responses } = operation
  const parameters = [...bodyOf(operation, shared), ...parametersOf(without(operation.parameters, common), shared)]
  const answers = Object.entries(responses).map(([code, content]) => [
    code,
    { description: wordOf(code), ...schemaOf(content) },
  ])
  return {
    ...(about === undefined ? {} : { description: about }),
    ...(consumes.length === 0 ? {} : { consumes }),
    ...(produces.length === 0 ? {} : { produces }),
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: { ...Object.fromEntries(answers), ...unauthorized },
    ...extensionsOf(operation),
  }
}

export function swaggerPathItem(operations: readonly Operation[], shared: SharedParameters): JsonObject {
  const common = commonTo(operations.map(({ parameters }) => parameters))
  return {
    ...Object.fromEntries(operations.map((operation) => [operation.method, operationOf(operation, common, shared)])),
    ...(common.length === 0 ? {} : { parameters: parametersOf(common, shared) }),
  }
}

export function swaggerDocument(content: DocumentContent): Document {
  const shared = new SharedParameters()
  return {
    head: { swagger: '2.0', info: { title: 'Kubernetes', version: serverVersion.gitVersion } },
    sections: [
      {
        name: 'paths',
        *entries() {
          for (const [path, operations] of content.paths()) yield [path, swaggerPathItem(operations, shared)]
        },
      },
      {
        name: 'definitions',
        *entries() {
          for (const [name, schema] of content.schemas()) yield [name, swaggerDefinition(schema)]
        },
      },
      { name: 'parameters', entries: () => shared.all() },
    ],
    tail: { securityDefinitions: security, security: [{ BearerToken: [] }] },
  }
}
