// Whether the parts of an expression fit together, and what types they have: all that is wrong is found (the checker of
// cel-go).

import type { MacroName } from '../syntax/macros.ts'
import {
  type Call,
  type Comprehension,
  type List,
  type MapNode,
  type Message,
  type Node,
  qualifiedName,
  type Select,
} from '../syntax/tree.ts'
import { type Checked, errorType, Findings, mismatch } from './findings.ts'
import type { Functions } from './functions.ts'
import { elementTypes, fieldType } from './inside.ts'
import { fittingOverloads } from './overloads.ts'
import {
  boolType,
  bounded,
  type CelType,
  dynType,
  formatType,
  inOptional,
  isDyn,
  listOf,
  literalType,
  mapOf,
  optionalOf,
} from './type.ts'
import { moreGeneral, Substitutions } from './unify.ts'

export interface Surroundings {
  readonly functions: Functions
  /** Names, also with dots, that expressions can use. */
  readonly variables: ReadonlyMap<string, CelType>
  readonly macros?: ReadonlySet<MacroName>
  /** Lists and maps may be written with elements of several types. */
  readonly isMixed?: boolean
}

export function checkTypes(tree: Node, surroundings: Surroundings): Checked {
  const checker = new Checker(surroundings)
  return checker.run(tree)
}

class Checker {
  readonly #around: Surroundings
  readonly #known = new Substitutions()
  readonly #found = new Findings()
  /** Variables of loops, the innermost last. */
  readonly #locals: { readonly name: string; readonly type: CelType }[] = []

  constructor(around: Surroundings) {
    this.#around = around
  }

  run(tree: Node): Checked {
    this.#check(tree)
    return this.#found.made(tree, (type) => this.#known.resolve(type, true))
  }

  #check(node: Node): CelType {
    const type = bounded(this.#checked(node))
    this.#found.types.set(node, type)
    return type
  }

  #checked(node: Node): CelType {
    switch (node.kind) {
      case 'literal':
        return literalType(node)
      case 'ident':
        return this.#named(node, node.name) ?? this.#found.undeclared(node, node.name)
      case 'select':
        return this.#select(node)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#list(node)
      case 'map':
        return this.#map(node)
      case 'message':
        return this.#message(node)
      case 'comprehension':
        return this.#comprehension(node)
    }
  }

  #named(node: Node, name: string): CelType | undefined {
    const local = this.#locals.findLast((one) => one.name === name)
    const type = local?.type ?? this.#around.variables.get(name)
    if (type !== undefined) this.#found.names.set(node, name)
    return type
  }

  #select(node: Select): CelType {
    const name = node.isTest ? undefined : qualifiedName(node)
    const named = name === undefined ? undefined : this.#named(node, name)
    if (named !== undefined) return named
    const type = this.#field(node, { operand: node.operand, field: node.field, isOptional: false })
    return node.isTest ? boolType : this.#known.resolve(type)
  }

  #field(
    node: Node,
    { operand, field, isOptional }: { readonly operand: Node; readonly field: string; readonly isOptional: boolean },
  ): CelType {
    const given = this.#known.resolve(this.#check(operand))
    const inner = inOptional(given)
    const { type: found, fault } = fieldType(inner ?? given, field, this.#known)
    if (fault !== undefined) this.#found.fault(node, fault)
    return inner !== undefined || isOptional ? optionalOf(found) : found
  }

  #call(node: Call): CelType {
    const { name, args, target } = node
    if (name === '_?._') return this.#optionalSelect(node)
    for (const arg of args) this.#check(arg)
    if (target === undefined) return this.#function(node, name, args)
    const prefix = qualifiedName(target)
    const whole = prefix === undefined ? undefined : `${prefix}.${name}`
    if (whole !== undefined && this.#around.functions.has(whole)) {
      this.#found.names.set(node, whole)
      return this.#resolved(node, whole, { args, isMember: false })
    }
    this.#check(target)
    if (!this.#around.functions.has(name)) return this.#found.undeclared(node, name)
    return this.#resolved(node, name, { args: [target, ...args], isMember: true })
  }

  #optionalSelect({ args, ...node }: Call): CelType {
    const [operand, field] = args
    if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string') return errorType
    const where: Call = { ...node, args }
    return this.#known.resolve(this.#field(where, { operand, field: field.value, isOptional: true }))
  }

  #function(node: Call, name: string, args: readonly Node[]): CelType {
    if (!this.#around.functions.has(name)) return this.#found.undeclared(node, name)
    return this.#resolved(node, name, { args, isMember: false })
  }

  #resolved(
    node: Call,
    name: string,
    { args, isMember }: { readonly args: readonly Node[]; readonly isMember: boolean },
  ): CelType {
    const given = args.map((arg) => this.#found.typeOf(arg))
    if (name === '_&&_' || name === '_||_') return this.#logical(args, given)
    const { fitting, result } = fittingOverloads(this.#around.functions.of(name), { given, isMember }, this.#known)
    this.#found.overloads.set(node, fitting)
    if (result !== undefined) return result
    const types = given.map((type) => formatType(this.#known.resolve(type, true)))
    const signature = isMember ? `${types[0]}.(${types.slice(1).join(', ')})` : `(${types.join(', ')})`
    this.#found.fault(node, `found no matching overload for '${name}' applied to '${signature}'`)
    return errorType
  }

  #logical(args: readonly Node[], given: readonly CelType[]): CelType {
    let isSound = true
    given.forEach((type, i) => {
      if (this.#known.isAssignable(type, boolType)) return
      isSound = false
      this.#found.fault(args[i] as Node, mismatch(boolType, type))
    })
    return isSound ? boolType : errorType
  }

  #list({ elements }: List): CelType {
    let joined: CelType | undefined
    for (const { value, isOptional } of elements)
      joined = this.#joined(value, joined, this.#elementType(value, isOptional))
    return listOf(joined ?? this.#known.fresh())
  }

  /** Of a value that is there only if it has one. */
  #elementType(value: Node, isOptional: boolean): CelType {
    const type = this.#check(value)
    if (!isOptional) return type
    const inner = inOptional(type)
    if (inner === undefined && !isDyn(type)) this.#found.fault(value, mismatch(optionalOf(type), type))
    return inner ?? type
  }

  #map({ entries }: MapNode): CelType {
    let keys: CelType | undefined
    let values: CelType | undefined
    for (const { key, value, isOptional } of entries) {
      keys = this.#joined(key, keys, this.#check(key))
      values = this.#joined(value, values, this.#elementType(value, isOptional))
    }
    return mapOf(keys ?? this.#known.fresh(), values ?? this.#known.fresh())
  }

  #joined(node: Node, before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type
    if (this.#known.isAssignable(before, type)) return moreGeneral(before, type)
    if (this.#around.isMixed === true) return dynType
    this.#found.fault(node, mismatch(before, type))
    return errorType
  }

  #message(node: Message): CelType {
    const ident = this.#around.variables.get(node.name)
    if (ident === undefined) return this.#found.undeclared(node, node.name)
    const type = ident.kind === 'type' ? ident.of : undefined
    if (type === undefined) this.#found.fault(node, `'${formatType(ident)}' is not a type`)
    else if (type.kind !== 'object' || type.field === undefined)
      this.#found.fault(node, `'${formatType(type)}' is not a message type`)
    for (const field of node.fields) {
      const given = this.#elementType(field.value, field.isOptional)
      if (type?.kind !== 'object' || type.field === undefined) continue
      const wanted = type.field(field.name)
      if (wanted === undefined) this.#found.fault(field, `undefined field '${field.name}'`)
      else if (!this.#known.isAssignable(wanted, given))
        this.#found.fault(
          field,
          `expected type of field '${field.name}' is '${formatType(wanted)}' but provided type is '${formatType(given)}'`,
        )
    }
    return type?.kind === 'object' && type.field !== undefined ? type : errorType
  }

  #comprehension(node: Comprehension): CelType {
    this.#check(node.range)
    const gathered = this.#check(node.begin)
    const range = elementTypes(this.#known.resolve(this.#found.typeOf(node.range)), node.variables.length, this.#known)
    if (range.fault !== undefined) this.#found.fault(node.range, range.fault)
    this.#locals.push({ name: node.gathered, type: gathered })
    node.variables.forEach((name, i) => {
      this.#locals.push({ name, type: range.types[i] ?? errorType })
    })
    this.#expect(node.condition, boolType)
    this.#expect(node.step, gathered)
    for (const _ of node.variables) this.#locals.pop()
    const result = this.#check(node.result)
    this.#locals.pop()
    return this.#known.resolve(result)
  }

  #expect(node: Node, wanted: CelType): void {
    const type = this.#check(node)
    if (!this.#known.isAssignable(wanted, type)) this.#found.fault(node, mismatch(wanted, type))
  }
}
