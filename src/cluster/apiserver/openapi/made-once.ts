// A long document in parts, made when they are asked for and kept whole from then on: whoever sends it can stop between two
// parts and let others run.

export class MadeOnce<T extends string | Uint8Array> implements Iterable<T> {
  readonly #make: () => Iterable<T>
  readonly #join: (parts: readonly T[]) => T
  #whole: T | undefined

  constructor(make: () => Iterable<T>, join: (parts: readonly T[]) => T) {
    this.#make = make
    this.#join = join
  }

  *[Symbol.iterator](): Generator<T> {
    if (this.#whole !== undefined) {
      yield this.#whole
      return
    }
    const parts: T[] = []
    for (const part of this.#make()) {
      parts.push(part)
      yield part
    }
    this.#whole = this.#join(parts)
  }
}

/** A document whose long maps are made entry by entry. */
export interface Document {
  readonly head: object
  readonly sections: readonly {
    readonly name: 'paths' | 'definitions' | 'parameters' | 'schemas'
    entries(): Iterable<readonly [name: string, value: object]>
  }[]
  readonly tail: object
}

const inner = (object: object): string => JSON.stringify(object).slice(1, -1)

/** As JSON. The schemas of OpenAPI v3 are one level deeper, among other components. */
export function* jsonParts({ head, sections, tail }: Document): Generator<string> {
  yield `{${inner(head)}`
  for (const { name, entries } of sections) {
    yield name === 'schemas' ? ',"components":{"schemas":{' : `,"${name}":{`
    let before = ''
    for (const [key, value] of entries()) {
      yield `${before}${JSON.stringify(key)}:${JSON.stringify(value)}`
      before = ','
    }
    yield '}'
  }
  const rest = inner(tail)
  const isNested = sections.some(({ name }) => name === 'schemas')
  yield `${rest === '' ? '' : `,${rest}`}${isNested ? '}' : ''}}\n`
}
