import { afterAll, describe, expect, test } from 'vitest'
import { systemWorld } from '#world'
import { createJq } from './jq.ts'

const jq = createJq(systemWorld())
afterAll(() => jq.close())

const document = {
  spec: {
    template: {
      spec: {
        containers: [
          { name: 'web', image: 'a' },
          { name: 'proxy', image: 'b' },
        ],
      },
    },
    replicas: 3,
  },
}

describe('jq', () => {
  test.each([
    ['.spec.replicas', [['spec', 'replicas']]],
    ['.spec.template.spec.containers[] | select(.name == "proxy")', [['spec', 'template', 'spec', 'containers', 1]]],
    ['.spec.nothing', [['spec', 'nothing']]],
    [
      '.spec.template.spec.containers[]?.image',
      [0, 1].map((at) => ['spec', 'template', 'spec', 'containers', at, 'image']),
    ],
    [
      '.spec | .replicas, .paused',
      [
        ['spec', 'replicas'],
        ['spec', 'paused'],
      ],
    ],
    ['empty', []],
  ])('%s', async (expression, paths) => {
    expect(await jq.paths(document, expression)).toEqual(paths)
  })

  test.each([
    ['.spec[', /syntax error|compile error/],
    ['1 + 1', /Invalid path expression/],
    ['.spec | keys', /Invalid path expression/],
    ['nosuch(1)', /nosuch/],
  ])('%s is told', async (expression, message) => {
    await expect(jq.paths(document, expression)).rejects.toThrow(message)
  })

  test('an expression that does not end is stopped, and the next one is answered', async () => {
    await expect(jq.paths(document, '.a | until(false; .)')).rejects.toThrow(/1 s at most/)
    expect(await jq.paths(document, '.spec.replicas')).toEqual([['spec', 'replicas']])
  })

  test('nothing of this process is seen', async () => {
    const [path] = await jq.paths(document, '.spec[env.HOME]')
    expect(path?.[1]).not.toBe(process.env['HOME'])
  })
})
