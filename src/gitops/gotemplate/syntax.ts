// The tree of a parsed template.

export type Node =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'print'; readonly pipe: Pipe }
  | { readonly type: 'if'; readonly pipe: Pipe; readonly body: readonly Node[]; readonly otherwise: readonly Node[] }
  | { readonly type: 'with'; readonly pipe: Pipe; readonly body: readonly Node[]; readonly otherwise: readonly Node[] }
  | { readonly type: 'range'; readonly pipe: Pipe; readonly body: readonly Node[]; readonly otherwise: readonly Node[] }
  | { readonly type: 'template'; readonly name: string; readonly pipe: Pipe | undefined }
  | { readonly type: 'break' }
  | { readonly type: 'continue' }

export interface Pipe {
  /** Variables that are set: one, or two in a range. */
  readonly variables: readonly string[]
  /** `=` rather than `:=`: they are there already. */
  readonly assigns: boolean
  readonly commands: readonly Command[]
}

/** What is called or read, with its arguments. */
export interface Command {
  readonly terms: readonly Term[]
}

export type Term =
  | { readonly type: 'literal'; readonly value: string | number | boolean | null }
  | { readonly type: 'function'; readonly name: string }
  /** From the dot, a variable or another pipe, down the fields. */
  | { readonly type: 'path'; readonly from: PathStart; readonly names: readonly string[] }

export type PathStart =
  | { readonly type: 'dot' }
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'pipe'; readonly pipe: Pipe }

export interface Template {
  readonly body: readonly Node[]
  /** Bodies of `define` and `block`. */
  readonly named: ReadonlyMap<string, readonly Node[]>
}
