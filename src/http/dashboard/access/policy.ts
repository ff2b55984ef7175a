// Argo CD's policies: who may do what to which object, in the lines of casbin's CSV. `p, SUBJECT, RESOURCE, ACTION, OBJECT,
// EFFECT` grants or denies, `g, SUBJECT, ROLE` makes somebody a role. A subject may what some rule allows and none denies, his
// own rules and those of all his roles taken together; their order does not matter. Pure.

import { RE2JS } from 're2js'
import { compileGlob } from '#gitops/render'

export type MatchMode = 'glob' | 'regex'

export interface Question {
  readonly resource: string
  readonly action: string
  /** `PROJECT/NAME`, or the name alone of what belongs to no project. */
  readonly object: string
}

interface Rule {
  readonly isDenial: boolean
  readonly fits: (question: Question) => boolean
}

export interface Policy {
  /** By subject. */
  readonly rules: ReadonlyMap<string, readonly Rule[]>
  /** The roles of a subject. */
  readonly roles: ReadonlyMap<string, readonly string[]>
}

/** A line that is no policy. */
export class PolicyFault extends Error {
  override readonly name = 'PolicyFault'
}

export const noPolicy: Policy = { rules: new Map(), roles: new Map() }

/** Throws PolicyFault. */
export function readPolicy(text: string, mode: MatchMode): Policy {
  const rules = new Map<string, Rule[]>()
  const roles = new Map<string, string[]>()
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    try {
      readLine(trimmed, mode, { rules, roles })
    } catch (error) {
      throw new PolicyFault(`line ${index + 1}: invalid RBAC policy: ${trimmed} (${(error as Error).message})`)
    }
  }
  return { rules, roles }
}

interface Draft {
  readonly rules: Map<string, Rule[]>
  readonly roles: Map<string, string[]>
}

function readLine(line: string, mode: MatchMode, { rules, roles }: Draft): void {
  const [type, subject = '', ...rest] = fieldsOf(line)
  if (type === 'g') {
    const [role, ...more] = rest
    if (subject === '' || role === undefined || more.length > 0) throw new Error('expected: g, SUBJECT, ROLE')
    roles.set(subject, [...(roles.get(subject) ?? []), role])
    return
  }
  if (type !== 'p') throw new Error('a line begins with p or g')
  const [resource, action, object, effect, ...more] = rest
  if (resource === undefined || action === undefined || object === undefined || effect === undefined || more.length > 0)
    throw new Error('expected: p, SUBJECT, RESOURCE, ACTION, OBJECT, EFFECT')
  if (effect !== 'allow' && effect !== 'deny') throw new Error("the effect must be 'allow' or 'deny'")
  const [fitsResource, fitsAction, fitsObject] = [resource, action, object].map((pattern) => matcher(pattern, mode))
  const rule: Rule = {
    isDenial: effect === 'deny',
    fits: (question) =>
      fitsResource?.(question.resource) === true &&
      fitsAction?.(question.action) === true &&
      fitsObject?.(question.object) === true,
  }
  rules.set(subject, [...(rules.get(subject) ?? []), rule])
}

/** Patterns of either kind know no separators: `*` goes beyond a slash. */
function matcher(pattern: string, mode: MatchMode): (text: string) => boolean {
  if (mode === 'glob') return compileGlob(pattern)
  const compiled = RE2JS.compile(pattern)
  return (text) => compiled.matcher(text).find()
}

/** Fields of one line, which may stand in double quotes. */
function fieldsOf(line: string): readonly string[] {
  const fields: string[] = []
  let rest = line
  for (;;) {
    rest = rest.trimStart()
    const quoted = /^"((?:[^"]|"")*)"\s*(,|$)/.exec(rest)
    const match = quoted ?? /^([^,"]*)(,|$)/.exec(rest)
    if (match === null) throw new Error('a quotation mark is out of place')
    const [whole, field = '', end] = match
    fields.push(quoted === null ? field.trim() : field.replaceAll('""', '"'))
    if (end !== ',') return fields
    rest = rest.slice(whole.length)
  }
}

/** Several policies as one. */
export function together(...policies: readonly Policy[]): Policy {
  const rules = new Map<string, readonly Rule[]>()
  const roles = new Map<string, readonly string[]>()
  for (const policy of policies) {
    for (const [subject, own] of policy.rules) rules.set(subject, [...(rules.get(subject) ?? []), ...own])
    for (const [subject, own] of policy.roles) roles.set(subject, [...(roles.get(subject) ?? []), ...own])
  }
  return { rules, roles }
}

export function isAllowed(policy: Policy, subject: string, question: Question): boolean {
  let allowed = false
  for (const each of namesOf(policy, subject)) {
    for (const rule of policy.rules.get(each) ?? []) {
      if (!rule.fits(question)) continue
      if (rule.isDenial) return false
      allowed = true
    }
  }
  return allowed
}

/** A subject, its roles, and theirs. */
function namesOf({ roles }: Policy, subject: string): ReadonlySet<string> {
  const names = new Set([subject])
  for (const name of names) for (const role of roles.get(name) ?? []) names.add(role)
  return names
}
