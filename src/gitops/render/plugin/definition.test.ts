import { expect, test } from 'vitest'
import { readPlugins } from './definition.ts'

const plugin = (spec: object, metadata: object = { name: 'p' }): string =>
  JSON.stringify({ apiVersion: 'argoproj.io/v1alpha1', kind: 'ConfigManagementPlugin', metadata, spec })
const generate = { command: ['sh', '-c'], args: ['true'] }

test('plug-ins are known by their name, with the version where there is one', () => {
  const text = [
    plugin({ generate }),
    plugin({ version: 'v1.0', generate, init: { command: ['/usr/bin/true'] }, preserveFileMode: true }),
    '# nothing',
  ].join('\n---\n')
  expect(readPlugins(text)).toEqual({
    plugins: [
      { name: 'p', generate: ['sh', '-c', 'true'], announced: [], preserveFileMode: false },
      {
        name: 'p-v1.0',
        init: ['/usr/bin/true'],
        generate: ['sh', '-c', 'true'],
        announced: [],
        preserveFileMode: true,
      },
    ],
    faults: [],
  })
})

test.each([
  [
    { fileName: './a*', find: { glob: '**/b' } },
    { type: 'pattern', field: 'discover.fileName', pattern: './a*' },
  ],
  [{ find: { glob: '**/b', command: ['x'] } }, { type: 'pattern', field: 'discover.find.glob', pattern: '**/b' }],
  [{ find: { command: ['sh'], args: ['-c', 'x'] } }, { type: 'command', words: ['sh', '-c', 'x'] }],
  [{}, undefined],
])('of the ways to discover a source the first one counts: %j', (discover, discovery) => {
  expect(readPlugins(plugin({ generate, discover })).plugins[0]?.discovery).toEqual(discovery)
})

test.each([
  ['a: [', /^document 1: /],
  ['', /^there is no plug-in in it$/],
  [plugin({ generate: {} }), /^document 1: spec\.generate\.command: the command that prints manifests is missing$/],
  [plugin({}), /^document 1: spec\.generate: /],
  [plugin({ generate, provideGitCreds: true }), /^document 1: spec\.provideGitCreds: plug-ins are not given the cred/],
  [plugin({ generate, genrate: generate }), /^document 1: spec: .*genrate/],
  [
    plugin({ generate: { command: ['./build.sh'] } }),
    /spec\.generate\.command: "\.\/build\.sh" would be a file of the rep/,
  ],
  [plugin({ generate, init: { command: ['tools/x'] } }), /spec\.init\.command: "tools\/x" would be a file/],
  [plugin({ generate, init: { args: ['x'] } }), /spec\.init: there are args, and no command/],
  [plugin({ generate, discover: { fileName: '../x' } }), /spec\.discover\.fileName: \.\.\/x leads out/],
  [plugin({ generate, discover: { find: { glob: '{a' } } }), /spec\.discover\.find\.glob: syntax error in pattern/],
  [plugin({ generate }, {}), /^document 1: metadata\.name: /],
  [`${plugin({ generate })}\n---\n${plugin({ generate })}`, /^document 2: metadata\.name: there are two plug-ins p$/],
  [plugin({ generate }).replace('ConfigManagementPlugin', 'ConfigMap'), /^document 1: kind: .*ConfigManagementPlugin/],
])('what is wrong is told with its document and field: %s', (text, fault) => {
  const { faults } = readPlugins(text)
  expect(faults).toHaveLength(1)
  expect(faults[0]).toMatch(fault)
})
