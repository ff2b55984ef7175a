import { describe, expect, it } from 'vitest'
import type { VolumeMount } from '#kinds'
import { mountFault } from './mounts.ts'

const variables = new Map([
  ['POD', 'web-0'],
  ['UP', '../x'],
  ['ROOT', '/x'],
  ['EMPTY', ''],
])

describe('mountFault', () => {
  it.each<[string, Partial<VolumeMount>, string | undefined]>([
    ['a plain mount', {}, undefined],
    ['a path with a variable', { subPathExpr: 'logs/$(POD)' }, undefined],
    ['a dollar sign', { subPathExpr: '$$(POD)' }, undefined],
    ['variables that are not there', { subPathExpr: '$(B)/$(EMPTY)/$(A)' }, 'missing value for A, B, EMPTY'],
    ['a way out', { subPathExpr: '$(UP)' }, "unable to provision SubPath `../x`: must not contain '..'"],
    ['an absolute path', { subPathExpr: '$(ROOT)' }, 'error SubPath `/x` must not be an absolute path'],
    ['a wish for recursive read-only', { readOnly: true, recursiveReadOnly: 'IfPossible' }, undefined],
    [
      'recursive read-only',
      { readOnly: true, recursiveReadOnly: 'Enabled' },
      'failed to resolve recursive read-only mode: volume "data" requested recursive read-only mode, but it is not supported by the runtime',
    ],
  ])('%s', (_name, mount, fault) => {
    const volumeMounts: readonly VolumeMount[] = [{ name: 'data', mountPath: '/data', ...mount }]
    expect(
      mountFault({ name: 'app', image: 'i', volumeMounts }, { recursion: false, variables: () => variables }),
    ).toBe(fault)
  })
})
