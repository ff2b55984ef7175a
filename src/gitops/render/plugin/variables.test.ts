import { expect, test } from 'vitest'
import { pluginVariables, VariableFault } from './variables.ts'

const build = { ARGOCD_APP_NAME: 'shop', ARGOCD_APP_REVISION: '0123456789' }

test('an application without a block gets the build environment alone', () => {
  expect(pluginVariables(build, undefined)).toEqual(build)
})

test('variables of the block are prefixed, and see the build environment', () => {
  const env = [
    { name: 'FOO', value: ['of $ARGOCD_APP_NAME, $', '{ARGOCD_APP_REVISION}, $$, $NOBODY.'].join('') },
    { name: 'LD_PRELOAD', value: '/tmp/x.so' },
  ]
  expect(pluginVariables(build, { env })).toEqual({
    ...build,
    ARGOCD_ENV_FOO: 'of shop, 0123456789, $, .',
    ARGOCD_ENV_LD_PRELOAD: '/tmp/x.so',
    ARGOCD_APP_PARAMETERS: 'null',
  })
})

test('parameters come as JSON, and each by its own name', () => {
  const parameters = [
    { name: 'some-string', string: 'a' },
    { name: 'files', array: ['x', 'y'] },
    { name: 'map', map: { 'image.tag': 'v1' } },
    { name: 'empty', string: '' },
  ]
  expect(pluginVariables({}, { parameters })).toEqual({
    ARGOCD_APP_PARAMETERS: JSON.stringify(parameters),
    PARAM_SOME_STRING: 'a',
    PARAM_FILES_0: 'x',
    PARAM_FILES_1: 'y',
    PARAM_MAP_IMAGE_TAG: 'v1',
    PARAM_EMPTY: '',
  })
})

test.each([
  ['no name', { env: [{ name: '', value: 'x' }] }],
  ['a name with a sign that ends it', { env: [{ name: 'A=B', value: 'x' }] }],
  ['a value that no system takes', { env: [{ name: 'A', value: 'x\0' }] }],
  ['a parameter that no system takes', { parameters: [{ name: 'a', string: '\0' }] }],
])('%s is refused', (_case, source) => {
  expect(() => pluginVariables(build, source)).toThrow(VariableFault)
})
