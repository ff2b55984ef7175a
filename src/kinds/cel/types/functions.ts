// The functions that expressions can call: by name, in all the ways in which they can be called.

import { type CelType, nameOf, paramsOf, parseType } from './type.ts'

export interface Overload {
  readonly name: string
  /** Called on its first argument. */
  readonly isMember: boolean
  readonly args: readonly CelType[]
  readonly result: CelType
  /** Parameters in its types. */
  readonly paramNames: readonly string[]
  /** Absent for operators, which the evaluation knows. */
  readonly call: ((...args: never[]) => unknown) | undefined
}

export class Functions {
  readonly #byName = new Map<string, Overload[]>()

  constructor(base?: Functions) {
    for (const overload of base?.all ?? []) this.#add(overload)
  }

  get all(): readonly Overload[] {
    return [...this.#byName.values()].flat()
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  of(name: string): readonly Overload[] {
    return this.#byName.get(name) ?? []
  }

  /** `signature` is `(int, string) -> bool`, or `string.(int) -> bool` of what is called on a value. */
  declare(name: string, signature: string, call?: (...args: never[]) => unknown): void {
    this.#add(overloadOf(name, signature, call))
  }

  #add(overload: Overload): void {
    const known = this.#byName.get(overload.name)
    if (known === undefined) this.#byName.set(overload.name, [overload])
    else known.push(overload)
  }
}

function overloadOf(name: string, signature: string, call: Overload['call']): Overload {
  const arrow = signature.lastIndexOf(' -> ')
  const open = signature.startsWith('(') ? 0 : signature.indexOf('.(') + 1
  const isMember = open > 0
  const args = [
    ...(isMember ? [parseType(signature.slice(0, open - 1))] : []),
    ...splitTypes(signature.slice(open + 1, arrow - 1)),
  ]
  const result = parseType(signature.slice(arrow + 4))
  const paramNames = [...new Set([...args, result].flatMap(paramNamesIn))]
  return { name, isMember, args, result, paramNames, call }
}

/** Types between commas that are not inside of others. */
function splitTypes(text: string): readonly CelType[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const letter of text) {
    if (letter === '(') depth += 1
    if (letter === ')') depth -= 1
    if (letter === ',' && depth === 0) {
      parts.push(part)
      part = ''
    } else part += letter
  }
  if (part.trim() !== '') parts.push(part)
  return parts.map(parseType)
}

const paramNamesIn = (type: CelType): readonly string[] =>
  type.kind === 'param' ? [nameOf(type)] : paramsOf(type).flatMap(paramNamesIn)
