import { expect, it } from 'vitest'
import { encodeOpenApiV2 } from './openapi-v2.ts'
import { readFields } from './reader.ts'

interface Message {
  readonly [field: number]: readonly (Message | string | number)[]
}

/** Reads with what is known of the schema: which fields are messages. */
function read(bytes: Buffer, messages: Readonly<Record<number, object>>): Message {
  const message: Record<number, (Message | string | number)[]> = {}
  for (const { number, wireType, value, bytes: content } of readFields(bytes)) {
    const inner = messages[number] as Readonly<Record<number, object>> | undefined
    const next = wireType === 0 ? value : inner === undefined ? content.toString() : read(content, inner)
    message[number] = [...(message[number] ?? []), next]
  }
  return message
}

const any = {}
const schema: Record<number, object> = { 20: any, 22: {}, 31: { 2: any } }
const named = { 1: { 2: schema } }
Object.assign(schema, { 21: { 1: schema }, 23: { 1: schema }, 25: named })
const document = { 2: {}, 8: {}, 9: named }

it('writes the definitions of a document', () => {
  const bytes = encodeOpenApiV2({
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1' },
    paths: {},
    definitions: {
      'a.Thing': {
        type: 'object',
        description: 'x'.repeat(300),
        required: ['spec'],
        properties: {
          spec: { $ref: '#/definitions/a.Spec' },
          tags: { type: 'array', items: { type: 'string', enum: ['a'] } },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          open: { additionalProperties: true },
        },
        'x-kubernetes-group-version-kind': [{ group: 'a', kind: 'Thing', version: 'v1' }],
      },
    },
  })
  const [definitions] = read(bytes, document)[9] ?? []
  expect(read(bytes, document)).toMatchObject({ 1: ['2.0'], 2: [{ 1: ['Kubernetes'], 2: ['v1'] }] })
  expect((definitions as Message)[1]).toEqual([
    {
      1: ['a.Thing'],
      2: [
        {
          4: ['x'.repeat(300)],
          19: ['spec'],
          22: [{ 1: ['object'] }],
          25: [
            {
              1: [
                { 1: ['spec'], 2: [{ 1: ['#/definitions/a.Spec'] }] },
                {
                  1: ['tags'],
                  2: [{ 22: [{ 1: ['array'] }], 23: [{ 1: [{ 20: [{ 2: ['"a"\n'] }], 22: [{ 1: ['string'] }] }] }] }],
                },
                { 1: ['labels'], 2: [{ 21: [{ 1: [{ 22: [{ 1: ['string'] }] }] }], 22: [{ 1: ['object'] }] }] },
                { 1: ['open'], 2: [{ 21: [{ 2: [1] }] }] },
              ],
            },
          ],
          31: [
            {
              1: ['x-kubernetes-group-version-kind'],
              2: [{ 2: ['[{"group":"a","kind":"Thing","version":"v1"}]\n'] }],
            },
          ],
        },
      ],
    },
  ])
})
