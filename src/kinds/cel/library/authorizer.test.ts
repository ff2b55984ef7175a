import { describe, expect, it } from 'vitest'
import { compileCel } from '../compile.ts'
import { environmentOf, withAuthorizer } from '../environment.ts'
import { type AccessQuery, CelAuthorizer } from './authorizer.ts'

const requested = { group: '', resource: 'configmaps', namespace: 'demo', name: 'settings' }

function ask(expression: string): { readonly value: unknown; readonly asked: readonly AccessQuery[] } {
  const asked: AccessQuery[] = []
  const authorizer = new CelAuthorizer((query) => {
    asked.push(query)
    return { allowed: query.verb === 'get', reason: 'because' }
  }, requested)
  const compiled = compileCel(expression, environmentOf(withAuthorizer))
  if (!compiled.ok) throw new Error(compiled.faults)
  return {
    value: compiled.program.evaluate({ authorizer, 'authorizer.requestResource': authorizer.requestResource }),
    asked,
  }
}

describe('authorizer', () => {
  it.each<[string, unknown, AccessQuery]>([
    [
      "authorizer.group('').resource('pods').namespace('demo').check('get').allowed()",
      true,
      { group: '', resource: 'pods', namespace: 'demo', verb: 'get' },
    ],
    ["authorizer.requestResource.check('delete').allowed()", false, { ...requested, verb: 'delete' }],
    ["authorizer.path('/healthz').check('get').reason()", 'because', { path: '/healthz', verb: 'get' }],
    [
      "authorizer.serviceAccount('a', 'b').group('apps').resource('deployments').subresource('scale').name('n').check('get').allowed()",
      true,
      {
        serviceAccount: { namespace: 'a', name: 'b' },
        group: 'apps',
        resource: 'deployments',
        subresource: 'scale',
        name: 'n',
        verb: 'get',
      },
    ],
  ])('%s', (expression, value, query) => {
    expect(ask(expression)).toEqual({ value, asked: [query] })
  })

  it('knows nothing else', () => {
    expect(() => ask('authorizer.foo()')).toThrow("undeclared reference to 'foo' (in container '')")
  })
})
