// A program from its files to the documents that it gives. Everything that it may read is handed in.

import { budget, type Limits } from './budget.ts'
import { compiler } from './compile/compile.ts'
import { Environment } from './compile/environment.ts'
import { Scope, type Site } from './compile/scope.ts'
import { JsonnetFault, LimitFault } from './fault.ts'
import { compact, toJson } from './manifest/json.ts'
import { libraryFor, type Readers, standardLibrary } from './std/index.ts'
import { parse } from './syntax/parser.ts'
import { SourceText } from './syntax/source-text.ts'
import { ArrayValue, FunctionValue, force, type Lazy, type ObjectValue, Thunk, type Value } from './values/value.ts'

/** A value from outside: a text, or an expression. */
export interface Variable {
  readonly name: string
  readonly value: string
  readonly isCode: boolean
}

/** Where an import leads, or why it does not. */
export type Target = { readonly path: string } | { readonly problem: string }

export interface Program {
  readonly main: string
  /** By path from the root; of texts and of bytes alike. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** `from` is the path of the file that imports, or empty for code from outside. */
  target(from: string, path: string): Target
  readonly extVars: readonly Variable[]
  /** Arguments, where the program is a function. */
  readonly tlas: readonly Variable[]
}

export interface Means {
  readonly readers: Readers
  readonly limits: Limits
}

/** What a program gives, as it is. Throws JsonnetFault. */
export function evaluate<Result>(program: Program, { readers, limits }: Means, use: (value: Value) => Result): Result {
  budget.refill(limits)
  try {
    const variables = new Map<string, Lazy>()
    const loader = new Loader(program, standardLibrary({ readers, variables }))
    for (const variable of program.extVars) variables.set(variable.name, loader.outside('extvar', variable))
    return use(called(force(loader.code(program.main)), program, loader))
  } catch (error) {
    // Expressions can be nested more deeply than calls are counted.
    if (error instanceof RangeError && /call stack/i.test(error.message))
      throw new JsonnetFault('max stack frames exceeded.')
    throw error
  }
}

/** The documents of a program as JSON: those of an array one by one, none for null. Throws JsonnetFault. */
export function documentsOf(program: Program, means: Means): readonly string[] {
  return evaluate(program, means, (value) => {
    const values = value instanceof ArrayValue ? value.elements : [value]
    const documents: string[] = []
    let length = 0
    for (const lazy of values) {
      const each = force(lazy)
      if (each === null) continue
      const document = toJson(each, compact)
      length += document.length
      if (length > maxDocumentsLength)
        throw new LimitFault(`the documents are longer than ${maxDocumentsLength / 1024 / 1024} MiB`)
      documents.push(document)
    }
    return documents
  })
}

/** Together, in units of UTF-16. */
const maxDocumentsLength = 10 * 1024 * 1024

function called(value: Value, { tlas }: Program, loader: Loader): Value {
  if (!(value instanceof FunctionValue)) return value
  const named = tlas.map((variable) => [variable.name, loader.outside('top-level-arg', variable)] as const)
  return value.run(value.slots([], named))
}

/** Files are parsed once and worked out once, however often they are imported. */
class Loader {
  readonly #program: Program
  readonly #library: ObjectValue
  readonly #codes = new Map<string, Lazy>()

  constructor(program: Program, library: ObjectValue) {
    this.#program = program
    this.#library = library
  }

  code(path: string): Lazy {
    const known = this.#codes.get(path) ?? new Thunk(() => this.#run(new SourceText(path, this.#textOf(path))))
    this.#codes.set(path, known)
    return known
  }

  outside(what: string, { name, value, isCode }: Variable): Lazy {
    return isCode ? new Thunk(() => this.#run(new SourceText(`<${what}:${name}>`, value))) : value
  }

  #run(source: SourceText): Value {
    budget.spend(source.text.length >> 6)
    const load: Site['load'] = (node, from) => this.#load(node, from)
    const site: Site = { compiler, scope: new Scope(['std']), source, context: '$', load }
    const code = compiler.code(parse(source), site)
    return code(new Environment([libraryFor(this.#library, source.path)], undefined))
  }

  #load(node: Parameters<Site['load']>[0], { path: from }: SourceText): Value {
    const target = this.#program.target(from.startsWith('<') ? '' : from, node.path)
    if ('problem' in target) throw new JsonnetFault(target.problem)
    if (node.way === 'import') return force(this.code(target.path))
    if (node.way === 'importstr') return this.#textOf(target.path)
    return new ArrayValue([...this.#bytesOf(target.path)])
  }

  #bytesOf(path: string): Uint8Array {
    const bytes = this.#program.files.get(path)
    if (bytes === undefined) throw new JsonnetFault(`couldn't open import ${JSON.stringify(path)}`)
    return bytes
  }

  #textOf(path: string): string {
    return new TextDecoder().decode(this.#bytesOf(path))
  }
}
