// Kubernetes' authorizer library for CEL: `authorizer.group('').resource('pods').check('create').allowed()`. Whoever
// evaluates an expression hands in how questions are decided.

import { dnsLabel, dnsSubdomain } from '../../metadata/formats.ts'
import type { Functions } from '../types/functions.ts'
import { type CelType, parseType } from '../types/type.ts'
import { TypedValue } from '../values/typed.ts'

export interface AccessQuery {
  /** Asks for another account than the one of the request. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
  readonly verb: string
  /** For what is no resource. */
  readonly path?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  /** Only of lists and the like; whoever decides may leave them aside, and so allow less. */
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

export interface AccessAnswer {
  readonly allowed: boolean
  readonly reason: string
}

export type DecideAccess = (query: AccessQuery) => AccessAnswer

type Asked = Omit<AccessQuery, 'verb'>

const ofAuthorization = (name: string): CelType => parseType(`kubernetes.authorization.${name}`)

export const authorizerType = ofAuthorization('Authorizer')
export const resourceCheckType = ofAuthorization('ResourceCheck')
const [pathCheckType, groupCheckType, decisionType] = ['PathCheck', 'GroupCheck', 'Decision'].map(ofAuthorization) as [
  CelType,
  CelType,
  CelType,
]

/** A question that is being put together. */
class Question extends TypedValue {
  readonly celType: CelType
  readonly decide: DecideAccess
  readonly asked: Asked
  constructor(celType: CelType, decide: DecideAccess, asked: Asked) {
    super()
    this.celType = celType
    this.decide = decide
    this.asked = asked
  }

  as(celType: CelType, more: Asked): Question {
    return new Question(celType, this.decide, { ...this.asked, ...more })
  }

  check(verb: string): CelDecision {
    return new CelDecision(this.decide({ ...this.asked, verb }))
  }

  override equals(other: Question): boolean {
    return this === other
  }
}

class CelDecision extends TypedValue {
  readonly celType: CelType = decisionType
  readonly answer: AccessAnswer
  constructor(answer: AccessAnswer) {
    super()
    this.answer = answer
  }

  override equals(other: CelDecision): boolean {
    return this === other
  }
}

/** The value of the variable `authorizer`. */
export class CelAuthorizer extends Question {
  /** What the request itself is about: the variable `authorizer.requestResource`. */
  readonly requestResource: Question

  constructor(decide: DecideAccess, requested: Asked) {
    super(authorizerType, decide, {})
    this.requestResource = new Question(resourceCheckType, decide, requested)
  }
}

function named(what: string, value: string): string {
  if (value === '') throw new Error(`${what} must not be empty`)
  return value
}

function serviceAccount(authorizer: Question, namespace: string, name: string): Question {
  if (dnsSubdomain(name).length > 0) throw new Error('Invalid service account name')
  if (dnsLabel(namespace).length > 0) throw new Error('Invalid service account namespace')
  return authorizer.as(authorizerType, { serviceAccount: { namespace, name } })
}

const detail =
  (field: 'subresource' | 'namespace' | 'name' | 'fieldSelector' | 'labelSelector') =>
  (check: Question, value: string): Question =>
    check.as(resourceCheckType, { [field]: value })

export function addAuthorizer(functions: Functions): void {
  const declare = (name: string, signature: string, call: (...args: never[]) => unknown): void => {
    const whole = signature.replace(
      /Authorizer|PathCheck|GroupCheck|ResourceCheck|Decision/g,
      'kubernetes.authorization.$&',
    )
    functions.declare(name, whole, call)
  }
  declare('path', 'Authorizer.(string) -> PathCheck', (from: Question, path: string) =>
    from.as(pathCheckType, { path: named('path', path) }),
  )
  declare('group', 'Authorizer.(string) -> GroupCheck', (from: Question, group: string) =>
    from.as(groupCheckType, { group }),
  )
  declare('serviceAccount', 'Authorizer.(string, string) -> Authorizer', serviceAccount)
  declare('resource', 'GroupCheck.(string) -> ResourceCheck', (from: Question, resource: string) =>
    from.as(resourceCheckType, { resource: named('resource', resource) }),
  )
  for (const field of ['subresource', 'namespace', 'name', 'fieldSelector', 'labelSelector'] as const)
    declare(field, 'ResourceCheck.(string) -> ResourceCheck', detail(field))
  for (const type of ['PathCheck', 'ResourceCheck'])
    declare('check', `${type}.(string) -> Decision`, (question: Question, verb: string) => question.check(verb))
  declare('errored', 'Decision.() -> bool', () => false)
  declare('error', 'Decision.() -> string', () => '')
  declare('allowed', 'Decision.() -> bool', ({ answer }: CelDecision) => answer.allowed)
  declare('reason', 'Decision.() -> string', ({ answer }: CelDecision) => answer.reason)
}
