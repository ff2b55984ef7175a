// Executes a parsed template over a value. What a template may do is bounded: its output, its loops and its depth.

import { TemplateFault } from './fault.ts'
import { functions } from './functions.ts'
import { goObjectOf } from './go-object.ts'
import { parseTemplate } from './parser.ts'
import type { Command, Node, Pipe, Template, Term } from './syntax.ts'
import { fieldOf, isTrue, methodOf, shown, type Value } from './values.ts'

export interface TemplateOptions {
  /** `missingkey=error`: a key that is not there is a fault; otherwise it prints `<no value>`. */
  readonly missingKeyIsFault: boolean
}

const parsed = new Map<string, Template>()
const maxParsed = 5000

/** The text of a template with `data` as its dot. Throws TemplateFault. */
export function executeTemplate(text: string, data: Value, options: TemplateOptions): string {
  if (!text.includes('{{')) return text
  const known = parsed.get(text) ?? parseTemplate(text)
  if (parsed.size >= maxParsed) parsed.clear()
  parsed.set(text, known)
  const run = new Run(known, options)
  run.nodes(known.body, { dot: data, variables: new Scope(undefined, new Map([['$', data]])), depth: 0 })
  return run.output
}

interface Frame {
  readonly dot: Value
  readonly variables: Scope
  readonly depth: number
}

class Scope {
  readonly #parent: Scope | undefined
  readonly #values: Map<string, Value>
  constructor(parent: Scope | undefined, values = new Map<string, Value>()) {
    this.#parent = parent
    this.#values = values
  }

  get(name: string): Value {
    if (this.#values.has(name)) return this.#values.get(name)
    if (this.#parent === undefined) throw new TemplateFault(`undefined variable ${JSON.stringify(name)}`)
    return this.#parent.get(name)
  }

  declare(name: string, value: Value): void {
    this.#values.set(name, value)
  }

  assign(name: string, value: Value): void {
    if (this.#values.has(name)) this.#values.set(name, value)
    else if (this.#parent === undefined) throw new TemplateFault(`undefined variable ${JSON.stringify(name)}`)
    else this.#parent.assign(name, value)
  }
}

const maxOutput = 1_000_000
const maxSteps = 200_000
const maxDepth = 200
type Flow = 'on' | 'break' | 'continue'

class Run {
  output = ''
  #steps = 0
  readonly #template: Template
  readonly #options: TemplateOptions

  constructor(template: Template, options: TemplateOptions) {
    this.#template = template
    this.#options = options
  }

  nodes(nodes: readonly Node[], frame: Frame): Flow {
    for (const node of nodes) {
      if (++this.#steps > maxSteps) throw new TemplateFault('the template takes too many steps')
      const flow = this.#node(node, frame)
      if (flow !== 'on') return flow
    }
    return 'on'
  }

  #write(text: string): void {
    this.output += text
    if (this.output.length > maxOutput) throw new TemplateFault('the output of the template is too long')
  }

  #node(node: Node, frame: Frame): Flow {
    if (node.type === 'text') this.#write(node.text)
    else if (node.type === 'print') {
      const value = this.#pipe(node.pipe, frame)
      if (node.pipe.variables.length === 0) this.#write(shown(value))
    } else if (node.type === 'if' || node.type === 'with') return this.#branch(node, frame)
    else if (node.type === 'range') this.#range(node, frame)
    else if (node.type === 'template') this.#include(node, frame)
    else return node.type
    return 'on'
  }

  #branch(node: Extract<Node, { readonly type: 'if' | 'with' }>, frame: Frame): Flow {
    const inner = { ...frame, variables: new Scope(frame.variables) }
    const value = this.#pipe(node.pipe, inner)
    if (!isTrue(value)) return this.nodes(node.otherwise, inner)
    return this.nodes(node.body, node.type === 'with' ? { ...inner, dot: value } : inner)
  }

  #range(node: Extract<Node, { readonly type: 'range' }>, frame: Frame): void {
    const outer = new Scope(frame.variables)
    const value = this.#pipe({ ...node.pipe, variables: [] }, { ...frame, variables: outer })
    const entries = entriesOf(value)
    if (entries.length === 0) {
      this.nodes(node.otherwise, { ...frame, variables: outer })
      return
    }
    for (const [key, item] of entries) {
      const scope = new Scope(outer)
      const [first, second] = node.pipe.variables
      if (first !== undefined) scope.declare(first, second === undefined ? item : key)
      if (second !== undefined) scope.declare(second, item)
      if (this.nodes(node.body, { ...frame, dot: item, variables: scope }) === 'break') return
    }
  }

  #include(node: Extract<Node, { readonly type: 'template' }>, frame: Frame): void {
    const body = this.#template.named.get(node.name)
    if (body === undefined) throw new TemplateFault(`template ${JSON.stringify(node.name)} not defined`)
    if (frame.depth >= maxDepth) throw new TemplateFault('templates include one another without end')
    const dot = node.pipe === undefined ? null : this.#pipe(node.pipe, frame)
    this.nodes(body, { dot, variables: new Scope(undefined, new Map([['$', dot]])), depth: frame.depth + 1 })
  }

  #pipe(pipe: Pipe, frame: Frame): Value {
    let value: Value
    for (const [index, command] of pipe.commands.entries())
      value = this.#command(command, frame, index === 0 ? [] : [value])
    for (const name of pipe.variables) {
      if (pipe.assigns) frame.variables.assign(name, value)
      else frame.variables.declare(name, value)
    }
    return value
  }

  #command({ terms }: Command, frame: Frame, piped: readonly Value[]): Value {
    const [first, ...rest] = terms
    if (first?.type === 'function') {
      // `and` and `or` stop where their answer is known.
      if (first.name === 'and' || first.name === 'or') return this.#logic(first.name, { rest, piped }, frame)
      const given = [...rest.map((term) => this.#term(term, frame)), ...piped]
      return this.#call(first.name, given)
    }
    if (first === undefined) throw new TemplateFault('missing value for command')
    if (rest.length + piped.length === 0) return this.#term(first, frame)
    const method = first.type === 'path' ? first.names.at(-1) : undefined
    if (first.type !== 'path' || method === undefined) throw new TemplateFault("can't give argument to non-function")
    const of = this.#term({ ...first, names: first.names.slice(0, -1) }, frame)
    if (goObjectOf(of) === undefined) throw new TemplateFault("can't give argument to non-function")
    return methodOf(of, method)(...rest.map((term) => this.#term(term, frame)), ...piped)
  }

  #logic(
    name: 'and' | 'or',
    given: { readonly rest: readonly Term[]; readonly piped: readonly Value[] },
    frame: Frame,
  ): Value {
    let value: Value
    for (const term of given.rest) {
      value = this.#term(term, frame)
      if (isTrue(value) === (name === 'or')) return value
    }
    return given.piped.length > 0 ? given.piped[0] : value
  }

  #call(name: string, given: readonly Value[]): Value {
    const work = functions[name]
    if (work === undefined) throw new TemplateFault(`function ${JSON.stringify(name)} not defined`)
    try {
      return work(...given)
    } catch (error) {
      if (error instanceof TemplateFault) throw new TemplateFault(`error calling ${name}: ${error.message}`)
      throw error
    }
  }

  #term(term: Term, frame: Frame): Value {
    if (term.type === 'literal') return term.value
    if (term.type === 'function') return this.#call(term.name, [])
    const { from } = term
    let value: Value =
      from.type === 'dot'
        ? frame.dot
        : from.type === 'variable'
          ? frame.variables.get(from.name)
          : this.#pipe(from.pipe, frame)
    for (const name of term.names) value = this.#field(value, name)
    return value
  }

  #field(value: Value, name: string): Value {
    const found = fieldOf(value, name)
    if (found === undefined && this.#options.missingKeyIsFault)
      throw new TemplateFault(`map has no entry for key ${JSON.stringify(name)}`)
    return found
  }
}

/** Keys of maps come in order. */
function entriesOf(value: Value): readonly (readonly [Value, Value])[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item])
  if (typeof value === 'number')
    return Array.from({ length: Math.min(Math.max(value, 0), maxSteps) }, (_, index) => [index, index])
  if (typeof value === 'object' && value !== null) return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  if (value === undefined || value === null || value === '') return []
  throw new TemplateFault(`range can't iterate over ${shown(value)}`)
}
