// Kubernetes' authorizer library for CEL: `authorizer.group('').resource('pods').check('create').allowed()`. Whoever
// evaluates an expression hands in how questions are decided.

import type { Environment } from '@marcbachmann/cel-js'

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
}

export interface AccessAnswer {
  readonly allowed: boolean
  readonly reason: string
}

export type DecideAccess = (query: AccessQuery) => AccessAnswer

type Asked = Omit<AccessQuery, 'verb'>

class Question {
  readonly decide: DecideAccess
  readonly asked: Asked
  constructor(decide: DecideAccess, asked: Asked) {
    this.decide = decide
    this.asked = asked
  }

  check(verb: string): CelDecision {
    return new CelDecision(this.decide({ ...this.asked, verb }))
  }
}

class CelPathCheck extends Question {}
class CelGroupCheck extends Question {}
class CelResourceCheck extends Question {
  with(more: Asked): CelResourceCheck {
    return new CelResourceCheck(this.decide, { ...this.asked, ...more })
  }
}

class CelDecision {
  readonly answer: AccessAnswer
  constructor(answer: AccessAnswer) {
    this.answer = answer
  }
}

/** The value of the variable `authorizer`. */
export class CelAuthorizer {
  readonly decide: DecideAccess
  readonly asked: Asked
  /** What the request itself is about. */
  readonly requestResource: CelResourceCheck

  constructor(decide: DecideAccess, requested: Asked, asked: Asked = {}) {
    this.decide = decide
    this.asked = asked
    this.requestResource = new CelResourceCheck(decide, requested)
  }
}

export const authorizerType = 'Authorizer'

export function addAuthorizer(env: Environment): void {
  env.registerType('AuthorizerDecision', CelDecision)
  env.registerType('AuthorizerPathCheck', CelPathCheck)
  env.registerType('AuthorizerGroupCheck', CelGroupCheck)
  env.registerType('AuthorizerResourceCheck', CelResourceCheck)
  env.registerType(authorizerType, { ctor: CelAuthorizer, fields: { requestResource: 'AuthorizerResourceCheck' } })
  env.registerFunction(
    'Authorizer.path(string): AuthorizerPathCheck',
    ({ decide, asked }: CelAuthorizer, path: string) => new CelPathCheck(decide, { ...asked, path }),
  )
  env.registerFunction(
    'Authorizer.group(string): AuthorizerGroupCheck',
    ({ decide, asked }: CelAuthorizer, group: string) => new CelGroupCheck(decide, { ...asked, group }),
  )
  env.registerFunction(
    'Authorizer.serviceAccount(string, string): Authorizer',
    ({ decide, requestResource }: CelAuthorizer, namespace: string, name: string) =>
      new CelAuthorizer(decide, requestResource.asked, { serviceAccount: { namespace, name } }),
  )
  env.registerFunction(
    'AuthorizerGroupCheck.resource(string): AuthorizerResourceCheck',
    ({ decide, asked }: CelGroupCheck, resource: string) => new CelResourceCheck(decide, { ...asked, resource }),
  )
  for (const field of ['subresource', 'namespace', 'name'] as const)
    env.registerFunction(
      `AuthorizerResourceCheck.${field}(string): AuthorizerResourceCheck`,
      (check: CelResourceCheck, value: string) => check.with({ [field]: value }),
    )
  for (const type of ['AuthorizerPathCheck', 'AuthorizerResourceCheck'])
    env.registerFunction(`${type}.check(string): AuthorizerDecision`, (question: Question, verb: string) =>
      question.check(verb),
    )
  env.registerFunction('AuthorizerDecision.allowed(): bool', ({ answer }: CelDecision) => answer.allowed)
  env.registerFunction('AuthorizerDecision.reason(): string', ({ answer }: CelDecision) => answer.reason)
  env.registerFunction('AuthorizerDecision.errored(): bool', () => false)
  env.registerFunction('AuthorizerDecision.error(): string', () => '')
}
