// Whether the parts of an expression fit together, and what types they have: all that is wrong is found (the checker of
// cel-go).

import type { Fault } from '../syntax/fault.ts'
import type { MacroName } from '../syntax/macros.ts'
import type { Call, Comprehension, List, Literal, MapNode, Message, Node, Select } from '../syntax/tree.ts'
import { CelUint } from '../values/numbers.ts'
import type { Functions, Overload } from './functions.ts'
import {
  boolType,
  bounded,
  type CelType,
  dynType,
  formatType,
  inOptional,
  intType,
  isDyn,
  isDynOrError,
  isSameType,
  listOf,
  mapOf,
  optionalOf,
  scalar,
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

export interface Checked {
  readonly faults: readonly Fault[]
  readonly type: CelType
  readonly types: ReadonlyMap<Node, CelType>
  /** Of calls: which ways the function has for what it is given. */
  readonly overloads: ReadonlyMap<Node, readonly Overload[]>
  /** Nodes that are names of variables or functions, dots and all. */
  readonly names: ReadonlyMap<Node, string>
}

export function checkTypes(tree: Node, surroundings: Surroundings): Checked {
  const checker = new Checker(surroundings)
  return checker.run(tree)
}

const errorType = scalar('error')

class Checker {
  readonly #around: Surroundings
  readonly #known = new Substitutions()
  readonly #faults: Fault[] = []
  readonly #types = new Map<Node, CelType>()
  readonly #overloads = new Map<Node, readonly Overload[]>()
  readonly #names = new Map<Node, string>()
  /** Variables of loops, the innermost last. */
  readonly #locals: { readonly name: string; readonly type: CelType }[] = []

  constructor(around: Surroundings) {
    this.#around = around
  }

  run(tree: Node): Checked {
    this.#check(tree)
    for (const [node, type] of this.#types) this.#types.set(node, this.#known.resolve(type, true))
    return {
      faults: this.#faults,
      type: this.#typeOf(tree),
      types: this.#types,
      overloads: this.#overloads,
      names: this.#names,
    }
  }

  #fault({ at }: { readonly at: number }, text: string): void {
    this.#faults.push({ at, text })
  }

  #typeOf(node: Node): CelType {
    return this.#types.get(node) ?? errorType
  }

  #check(node: Node): CelType {
    const type = bounded(this.#checked(node))
    this.#types.set(node, type)
    return type
  }

  #checked(node: Node): CelType {
    switch (node.kind) {
      case 'literal':
        return literalType(node)
      case 'ident':
        return this.#named(node, node.name) ?? this.#undeclared(node, node.name)
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
    if (type !== undefined) this.#names.set(node, name)
    return type
  }

  #undeclared(node: Node, name: string): CelType {
    this.#fault(node, `undeclared reference to '${name}' (in container '')`)
    return errorType
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
    const found = this.#fieldOf(node, inner ?? given, field)
    return inner !== undefined || isOptional ? optionalOf(found) : found
  }

  #fieldOf(node: Node, type: CelType, field: string): CelType {
    if (type.kind === 'map') return type.value
    if (type.kind === 'object') {
      if (type.field === undefined) this.#fault(node, `unexpected failed resolution of '${type.name}'`)
      const found = type.field?.(field)
      if (type.field !== undefined && found === undefined) this.#fault(node, `undefined field '${field}'`)
      return found ?? errorType
    }
    if (type.kind === 'param') this.#known.isAssignable(dynType, type)
    else if (!isDynOrError(type)) this.#fault(node, `type '${formatType(type)}' does not support field selection`)
    return dynType
  }

  #call(node: Call): CelType {
    const { name, args, target } = node
    if (name === '_?._') return this.#optionalSelect(node)
    for (const arg of args) this.#check(arg)
    if (target === undefined) return this.#function(node, name, args)
    const prefix = qualifiedName(target)
    const whole = prefix === undefined ? undefined : `${prefix}.${name}`
    if (whole !== undefined && this.#around.functions.has(whole)) {
      this.#names.set(node, whole)
      return this.#resolved(node, whole, { args, isMember: false })
    }
    this.#check(target)
    if (!this.#around.functions.has(name)) return this.#undeclared(node, name)
    return this.#resolved(node, name, { args: [target, ...args], isMember: true })
  }

  #optionalSelect({ args, ...node }: Call): CelType {
    const [operand, field] = args
    if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string') return errorType
    const where: Call = { ...node, args }
    return this.#known.resolve(this.#field(where, { operand, field: field.value, isOptional: true }))
  }

  #function(node: Call, name: string, args: readonly Node[]): CelType {
    if (!this.#around.functions.has(name)) return this.#undeclared(node, name)
    return this.#resolved(node, name, { args, isMember: false })
  }

  #resolved(
    node: Call,
    name: string,
    { args, isMember }: { readonly args: readonly Node[]; readonly isMember: boolean },
  ): CelType {
    const given = args.map((arg) => this.#typeOf(arg))
    if (name === '_&&_' || name === '_||_') return this.#logical(args, given)
    const fitting: Overload[] = []
    let result: CelType | undefined
    for (const overload of this.#around.functions.of(name)) {
      if (overload.isMember !== isMember) continue
      const { params, returns } = this.#instance(overload)
      if (!this.#known.areAssignable(given, params)) continue
      fitting.push(overload)
      const own = this.#known.resolve(returns)
      if (result === undefined) result = own
      else if (!isDyn(result) && !isSameType(own, result)) result = dynType
    }
    this.#overloads.set(node, fitting)
    if (result !== undefined) return result
    const types = given.map((type) => formatType(this.#known.resolve(type, true)))
    const signature = isMember ? `${types[0]}.(${types.slice(1).join(', ')})` : `(${types.join(', ')})`
    this.#fault(node, `found no matching overload for '${name}' applied to '${signature}'`)
    return errorType
  }

  #logical(args: readonly Node[], given: readonly CelType[]): CelType {
    let isSound = true
    given.forEach((type, i) => {
      if (this.#known.isAssignable(type, boolType)) return
      isSound = false
      this.#fault(args[i] as Node, mismatch(boolType, type))
    })
    return isSound ? boolType : errorType
  }

  /** The overload with parameters of its own. */
  #instance({ args, result, paramNames }: Overload): {
    readonly params: readonly CelType[]
    readonly returns: CelType
  } {
    if (paramNames.length === 0) return { params: args, returns: result }
    const own = new Substitutions()
    for (const name of paramNames) own.set({ kind: 'param', name }, this.#known.fresh())
    return { params: args.map((type) => own.resolve(type)), returns: own.resolve(result) }
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
    if (inner === undefined && !isDyn(type)) this.#fault(value, mismatch(optionalOf(type), type))
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
    this.#fault(node, mismatch(before, type))
    return errorType
  }

  #message(node: Message): CelType {
    const ident = this.#around.variables.get(node.name)
    if (ident === undefined) return this.#undeclared(node, node.name)
    const type = ident.kind === 'type' ? ident.of : undefined
    if (type === undefined) this.#fault(node, `'${formatType(ident)}' is not a type`)
    else if (type.kind !== 'object' || type.field === undefined)
      this.#fault(node, `'${formatType(type)}' is not a message type`)
    for (const field of node.fields) {
      const given = this.#elementType(field.value, field.isOptional)
      if (type?.kind !== 'object' || type.field === undefined) continue
      const wanted = type.field(field.name)
      if (wanted === undefined) this.#fault(field, `undefined field '${field.name}'`)
      else if (!this.#known.isAssignable(wanted, given))
        this.#fault(
          field,
          `expected type of field '${field.name}' is '${formatType(wanted)}' but provided type is '${formatType(given)}'`,
        )
    }
    return type?.kind === 'object' && type.field !== undefined ? type : errorType
  }

  #comprehension(node: Comprehension): CelType {
    this.#check(node.range)
    const gathered = this.#check(node.begin)
    const types = this.#rangeTypes(node)
    this.#locals.push({ name: node.gathered, type: gathered })
    node.variables.forEach((name, i) => {
      this.#locals.push({ name, type: types[i] ?? errorType })
    })
    this.#expect(node.condition, boolType)
    this.#expect(node.step, gathered)
    for (const _ of node.variables) this.#locals.pop()
    const result = this.#check(node.result)
    this.#locals.pop()
    return this.#known.resolve(result)
  }

  /** The types of a loop's variables. */
  #rangeTypes({ range, variables }: Comprehension): readonly CelType[] {
    const type = this.#known.resolve(this.#typeOf(range))
    const hasTwo = variables.length === 2
    if (type.kind === 'list') return hasTwo ? [intType, type.of] : [type.of]
    if (type.kind === 'map') return [type.key, type.value]
    if (isDynOrError(type) || type.kind === 'param') {
      this.#known.isAssignable(dynType, type)
      return [dynType, dynType]
    }
    this.#fault(
      range,
      `expression of type '${formatType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    )
    return [errorType, errorType]
  }

  #expect(node: Node, wanted: CelType): void {
    const type = this.#check(node)
    if (!this.#known.isAssignable(wanted, type)) this.#fault(node, mismatch(wanted, type))
  }
}

const mismatch = (wanted: CelType, found: CelType): string =>
  `expected type '${formatType(wanted)}' but found '${formatType(found)}'`

function literalType({ value }: Literal): CelType {
  if (value === null) return scalar('null')
  if (value instanceof CelUint) return scalar('uint')
  if (value instanceof Uint8Array) return scalar('bytes')
  const kinds = { bigint: 'int', number: 'double', string: 'string', boolean: 'bool' } as const
  return scalar(kinds[typeof value as keyof typeof kinds])
}

/** `a.b.c` as one name; undefined where it is something else. */
export function qualifiedName(node: Node): string | undefined {
  if (node.kind === 'ident') return node.name
  if (node.kind !== 'select' || node.isTest) return undefined
  const prefix = qualifiedName(node.operand)
  return prefix === undefined ? undefined : `${prefix}.${node.field}`
}
