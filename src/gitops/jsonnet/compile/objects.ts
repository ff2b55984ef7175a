// Object literals: names of fields are worked out when the object is made, fields when somebody looks at them, seen through
// the object that the layer is part of by then.

import { at, JsonnetFault, through } from '../fault.ts'
import type { Bind, FieldNode, NodeOf } from '../syntax/nodes.ts'
import { plus } from '../values/operators.ts'
import { typeOf } from '../values/types.ts'
import { type Field, ObjectValue, type Value } from '../values/value.ts'
import { compileFunction } from './calls.ts'
import { type Code, Environment } from './environment.ts'
import { compile } from './expression.ts'
import { compileAssert } from './faults.ts'
import { compileNamed } from './locals.ts'
import { frameAt, Scope, type Site, within } from './scope.ts'

export function compileObject(node: NodeOf<'object'>, site: Site): Code {
  const inside = compileInside(node.locals, site)
  const fields = node.fields.map((field) => compileField(field, site, inside.site))
  const asserts = node.asserts.map((each) => compileAssert(each, inside.site, 'Object assertion failed.'))
  const frame = frameAt(node.place, site)
  return (environment) => {
    const made = new Map<string, Field>()
    const enter = inside.enter(environment)
    try {
      for (const { nameOf, fieldIn } of fields) addField(made, nameOf(environment), fieldIn(enter))
    } catch (error) {
      throw at(error, frame)
    }
    const checks = asserts.map((check) => (self: ObjectValue, level: number) => check(enter(self, level)))
    return ObjectValue.of({ fields: made, asserts: checks })
  }
}

/** How code of a layer sees what is around it, once it is known through which object. */
export type Enter = (self: ObjectValue, level: number) => Environment

/** What fields and asserts see: the object's own variables, and `$` where the object is not inside of another. */
export function compileInside(locals: readonly Bind[], outer: Site) {
  const isOutermost = outer.scope.find('$') === undefined
  const names = [...locals.map(({ name }) => name), ...(isOutermost ? ['$'] : [])]
  const site = within(outer, new Scope(names, outer.scope, true), 'object <anonymous>')
  const lazies = locals.map(({ name, body }) => compileNamed(name, body, site))
  const makeIn = (around: Environment, self: ObjectValue, level: number): Environment => {
    const made = new Environment([], around, { self, level })
    for (const lazy of lazies) made.slots.push(lazy(made))
    if (isOutermost) made.slots.push(self)
    return made
  }
  const enter =
    (around: Environment): Enter =>
    (self, level) =>
      self.kept(level, () => makeIn(around, self, level))
  return { site, enter, makeIn }
}

export interface CompiledField {
  /** Undefined: the field is left out. */
  readonly nameOf: (environment: Environment) => string | undefined
  readonly fieldIn: (enter: Enter) => Field
}

export function compileField(field: FieldNode, outer: Site, inner: Site): CompiledField {
  const name = compile(field.name, outer)
  const frame = frameAt(field.name.place, outer)
  const called = field.name.type === 'literal' ? String(field.name.value) : 'anonymous'
  const body =
    field.body.type === 'function'
      ? compileFunction(field.body, inner, called)
      : compile(field.body, { ...inner, context: `object <${called}>` })
  const whole = frameAt(field.place, inner)
  const { visibility, extends: extendsSuper } = field
  const extend = (base: Value, value: Value): Value => {
    try {
      return plus(base, value)
    } catch (error) {
      throw through(error, whole)
    }
  }
  return {
    nameOf: (environment) => {
      const value = name(environment)
      if (typeof value === 'string') return value
      if (value === null) return undefined
      throw at(new JsonnetFault(`Field name must be string, got ${typeOf(value)}`), frame)
    },
    fieldIn: (enter) => ({
      visibility,
      extend: extendsSuper ? extend : undefined,
      evaluate: (self, level) => {
        try {
          return body(enter(self, level))
        } catch (error) {
          throw at(error, whole)
        }
      },
    }),
  }
}

export function addField(fields: Map<string, Field>, name: string | undefined, field: Field): void {
  if (name === undefined) return
  if (fields.has(name)) throw new JsonnetFault(`Duplicate field name: ${JSON.stringify(name)}`)
  fields.set(name, field)
}
