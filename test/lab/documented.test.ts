// Every field of the lab's kinds has a description, and stands in docs/lab.md.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { faultDefinition, nodeProfileDefinition, probeDefinition, workloadProfileDefinition } from '#kinds'

interface Node {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
}

function* fieldsOf(node: Node, path: string): Iterable<readonly [path: string, name: string, node: Node]> {
  if (node.items !== undefined) yield* fieldsOf(node.items, `${path}[]`)
  for (const [name, inner] of Object.entries(node.properties ?? {})) {
    yield [`${path}.${name}`, name, inner]
    yield* fieldsOf(inner, `${path}.${name}`)
  }
}

const text = readFileSync(join(import.meta.dirname, '../../docs/lab.md'), 'utf8')

describe.each([workloadProfileDefinition, nodeProfileDefinition, faultDefinition, probeDefinition])(
  '$spec.names.kind',
  ({ spec }) => {
    const schema = spec.versions[0]?.schema?.openAPIV3Schema as unknown as Node
    const fields = [
      ...fieldsOf(schema.properties?.spec ?? {}, 'spec'),
      ...fieldsOf(schema.properties?.status ?? {}, 'status'),
    ]

    it('explains every field', () => {
      expect(fields.filter(([, , { description = '' }]) => description === '').map(([path]) => path)).toEqual([])
    })

    it('is in the manual with every field', () => {
      expect(fields.filter(([, name]) => !new RegExp(`[\`.]${name}\``).test(text)).map(([path]) => path)).toEqual([])
    })
  },
)
