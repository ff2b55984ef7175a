// The tree of a parsed expression.

export type Expression =
  | { readonly type: 'literal'; readonly value: string | number | boolean | null }
  | { readonly type: 'name'; readonly name: string }
  /** In a predicate: the element that is looked at. */
  | { readonly type: 'element' }
  | { readonly type: 'list'; readonly items: readonly Expression[] }
  | { readonly type: 'map'; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly type: 'unary'; readonly operator: string; readonly of: Expression }
  | { readonly type: 'binary'; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly type: 'choice'; readonly condition: Expression; readonly yes: Expression; readonly no: Expression }
  /** `a.b`, `a["b"]`; `optional` for `a?.b`. */
  | { readonly type: 'member'; readonly of: Expression; readonly key: Expression; readonly optional: boolean }
  /** The end of `a?.b.c`: where `a` is nil, all of it is. */
  | { readonly type: 'chain'; readonly of: Expression }
  | { readonly type: 'call'; readonly of: Expression; readonly given: readonly Expression[] }
