// Macros are written out as cel-go writes them out, so that what they cost and how their faults are told is the same: over
// lists and maps (`all`, `map` …), with two variables, over optional values, and `has`.

import { gathered, Writer } from './macro-nodes.ts'
import type { Call, Comprehension, Node } from './tree.ts'

export interface Written {
  readonly at: number
  readonly name: string
  readonly args: readonly Node[]
  readonly target?: Node
}

/** Arguments that a macro cannot take. */
export class MacroFault extends Error {
  readonly at: number
  constructor(at: number, text: string) {
    super(text)
    this.at = at
  }
}

type Expand = (target: Node, args: readonly Node[], write: Writer) => Node

const reservedName = '__result__'

/** Macros that not every expression has: names for values, and sorting. */
export type MacroName = 'bind' | 'sortBy'

/** Undefined where the call is of no macro. */
export function expandMacro({ at, name, args, target }: Written, macros: ReadonlySet<MacroName>): Node | undefined {
  if (target === undefined) return name === 'has' && args.length === 1 ? presence(at, args[0]) : undefined
  const key = `${name}/${args.length}`
  const write = new Writer(at)
  if (key === 'bind/3' && macros.has('bind') && target.kind === 'ident' && target.name === 'cel')
    return binding(args, write)
  if (key === 'sortBy/2' && macros.has('sortBy')) return sorted(target, args, write)
  const expand = Object.hasOwn(expansions, key) ? expansions[key] : undefined
  return expand?.(target, args, write)
}

function presence(at: number, operand: Node | undefined): Node {
  if (operand?.kind === 'select') return { ...operand, at, isTest: true }
  throw new MacroFault(operand?.at ?? at, 'invalid argument to has() macro')
}

function nameOf(node: Node | undefined, fault: string): string {
  if (node?.kind !== 'ident') throw new MacroFault(node?.at ?? 0, fault)
  if (node.name === reservedName) throw new MacroFault(node.at, 'iteration variable overwrites accumulator variable')
  return node.name
}

type Quantifier = 'all' | 'exists' | 'existsOne'
type Names = Comprehension['variables']

function quantified(
  kind: Quantifier,
  { range, variables, predicate }: { readonly range: Node; readonly variables: Names; readonly predicate: Node },
  write: Writer,
): Node {
  const found = write.ident(gathered)
  const base = { range, variables }
  if (kind === 'all')
    return write.fold({
      ...base,
      begin: write.literal(true),
      condition: write.call('@not_strictly_false', found),
      step: write.call('_&&_', found, predicate),
      result: found,
    })
  if (kind === 'exists')
    return write.fold({
      ...base,
      begin: write.literal(false),
      condition: write.call('@not_strictly_false', write.call('!_', found)),
      step: write.call('_||_', found, predicate),
      result: found,
    })
  return write.fold({
    ...base,
    begin: write.literal(0n),
    condition: write.literal(true),
    step: write.call('_?_:_', predicate, write.call('_+_', found, write.literal(1n)), found),
    result: write.call('_==_', found, write.literal(1n)),
  })
}

const quantifier =
  (kind: Quantifier): Expand =>
  (range, [variable, predicate], write) =>
    quantified(
      kind,
      { range, variables: [nameOf(variable, 'argument must be a simple name')], predicate: predicate as Node },
      write,
    )

function gathering(
  { range, variables, begin }: { readonly range: Node; readonly variables: Names; readonly begin: Node },
  { filter, step }: { readonly filter: Node | undefined; readonly step: Node },
  write: Writer,
): Node {
  const found = write.ident(gathered)
  return write.fold({
    range,
    variables,
    begin,
    condition: write.literal(true),
    step: filter === undefined ? step : write.call('_?_:_', filter, step, found),
    result: found,
  })
}

const notIdentifier = 'argument is not an identifier'

const mapped: Expand = (range, args, write) => {
  const variable = nameOf(args[0], notIdentifier)
  const made = args.at(-1) as Node
  const step = write.call('_+_', write.ident(gathered), write.list(made))
  const filter = args.length === 3 ? args[1] : undefined
  return gathering({ range, variables: [variable], begin: write.list() }, { filter, step }, write)
}

const filtered: Expand = (range, [variable, predicate], write) => {
  const name = nameOf(variable, notIdentifier)
  const step = write.call('_+_', write.ident(gathered), write.list(variable as Node))
  return gathering({ range, variables: [name], begin: write.list() }, { filter: predicate, step }, write)
}

function twoNames([first, second]: readonly Node[]): readonly [string, string] {
  const one = nameOf(first, 'argument must be a simple name')
  const other = nameOf(second, 'argument must be a simple name')
  if (one === other) throw new MacroFault(second?.at ?? 0, `duplicate variable name: ${one}`)
  return [one, other]
}

const quantifierOfTwo =
  (kind: Quantifier): Expand =>
  (range, args, write) =>
    quantified(kind, { range, variables: twoNames(args), predicate: args[2] as Node }, write)

/** `filter` comes before what is made of each. */
const transformed =
  (begin: (write: Writer) => Node, add: (made: Node, write: Writer, key: string) => Node): Expand =>
  (range, args, write) => {
    const variables = twoNames(args)
    const step = add(args.at(-1) as Node, write, variables[0])
    const filter = args.length === 4 ? args[2] : undefined
    return gathering({ range, variables, begin: begin(write) }, { filter, step }, write)
  }

const toList = transformed(
  (write) => write.list(),
  (made, write) => write.call('_+_', write.ident(gathered), write.list(made)),
)
const toMap = transformed(
  (write) => write.map(),
  (made, write, key) => write.call('cel.@mapInsert', write.ident(gathered), write.ident(key), made),
)
const toEntries = transformed(
  (write) => write.map(),
  (made, write) => write.call('cel.@mapInsert', write.ident(gathered), made),
)

/** What a value is called while an expression is worked out with it: a loop that has no round. */
function bound(name: string, value: Node, { write, body }: { readonly write: Writer; readonly body: Node }): Node {
  return {
    kind: 'comprehension',
    at: write.at,
    range: write.list(),
    variables: ['#unused'],
    gathered: name,
    begin: value,
    condition: write.literal(false),
    step: write.ident(name),
    result: body,
  }
}

function binding([variable, value, body]: readonly Node[], write: Writer): Node {
  if (variable?.kind !== 'ident')
    throw new MacroFault(variable?.at ?? 0, 'cel.bind() variable names must be simple identifiers')
  return bound(variable.name, value as Node, { write, body: body as Node })
}

const input = '@__sortBy_input__'

/** Sorts by what is made of each element. */
function sorted(list: Node, [variable, key]: readonly Node[], write: Writer): Node {
  const name = nameOf(variable, 'argument must be a simple name')
  const step = write.call('_+_', write.ident(gathered), write.list(key as Node))
  const keys = gathering(
    { range: write.ident(input), variables: [name], begin: write.list() },
    { filter: undefined, step },
    write,
  )
  const body: Node = { ...write.on(write.ident(input), '@sortByAssociatedKeys'), args: [keys] } as Call
  return bound(input, list, { write, body })
}

const ifPresent =
  (macro: string, wrap: (made: Node, write: Writer) => Node): Expand =>
  (target, [variable, body], write) => {
    if (variable?.kind !== 'ident')
      throw new MacroFault(variable?.at ?? 0, `${macro}() variable name must be a simple identifier`)
    const made = bound(variable.name, write.on(target, 'value'), { write, body: body as Node })
    return write.call('_?_:_', write.on(target, 'hasValue'), wrap(made, write), write.call('optional.none'))
  }

const expansions: Readonly<Record<string, Expand>> = {
  'all/2': quantifier('all'),
  'exists/2': quantifier('exists'),
  'exists_one/2': quantifier('existsOne'),
  'existsOne/2': quantifier('existsOne'),
  'map/2': mapped,
  'map/3': mapped,
  'filter/2': filtered,
  'all/3': quantifierOfTwo('all'),
  'exists/3': quantifierOfTwo('exists'),
  'exists_one/3': quantifierOfTwo('existsOne'),
  'existsOne/3': quantifierOfTwo('existsOne'),
  'transformList/3': toList,
  'transformList/4': toList,
  'transformMap/3': toMap,
  'transformMap/4': toMap,
  'transformMapEntry/3': toEntries,
  'transformMapEntry/4': toEntries,
  'optMap/2': ifPresent('optMap', (made, write) => write.call('optional.of', made)),
  'optFlatMap/2': ifPresent('optFlatMap', (made) => made),
}
