import { describe, expect, it } from 'vitest'
import { decideMemory, decideRoom, resizeSummary } from './resize-room.ts'

const node = new Map([
  ['cpu', 2000],
  ['memory', 1000],
])

describe('decideRoom', () => {
  it.each([
    ['fits', [1500, 500], [500, 500], undefined],
    ['the others take too much', [1500, 100], [1000, 0], 'Deferred cpu, requested: 1500, used: 1000, capacity: 2000'],
    [
      'too much memory beside the others',
      [100, 600],
      [0, 600],
      'Deferred memory, requested: 600, used: 600, capacity: 1000',
    ],
    ['more than the node has', [3000, 100], [0, 0], 'Infeasible cpu, requested: 3000, capacity: 2000'],
    ['memory is named first', [3000, 2000], [0, 0], 'Infeasible memory, requested: 2000, capacity: 1000'],
  ] as const)('%s', (_name, [milliCpu, memory], [otherCpu, otherMemory], expected) => {
    const found = decideRoom({ milliCpu, memory }, { milliCpu: otherCpu, memory: otherMemory }, node)
    const text = found && `${found.reason} ${found.message.replace(/^Node didn't have enough \w+: /, '')}`
    expect(text).toBe(expected)
  })
})

describe('decideMemory', () => {
  const container = (name: string, before: number, wanted: number, used: number, inPlace = true) => ({
    name,
    inPlace,
    before,
    wanted,
    used,
  })

  it.each([
    ['more', [container('a', 100, 200, 90)], undefined],
    ['less than before, and more than is used', [container('a', 200, 100, 90)], undefined],
    [
      'what is used to the last byte',
      [container('a', 200, 100, 100)],
      '[attempting to set pod memory limit (100) below current usage (100), ' +
        'attempting to set container "a" memory limit (100) below current usage (100)]',
    ],
    [
      'from one container for the other: the pod keeps what it has',
      [container('a', 200, 100, 150), container('b', 100, 300, 50)],
      'attempting to set container "a" memory limit (100) below current usage (200)',
    ],
    [
      'a first limit',
      [container('a', 0, 100, 150), container('b', 0, 0, 50)],
      'attempting to set container "a" memory limit (100) below current usage (200)',
    ],
    ['of a container that is started anew', [container('a', 200, 100, 0, false)], undefined],
  ] as const)('%s', (_name, containers, expected) => {
    expect(decideMemory(containers)).toBe(expected && `cannot decrease memory limits: ${expected}`)
  })
})

describe('resizeSummary', () => {
  it('names all containers, init containers first, with sorted amounts', () => {
    const summary = resizeSummary({
      initContainers: [{ name: 'setup' }],
      containers: [{ name: 'app', resources: { requests: { memory: '1Gi', cpu: '1' }, limits: { cpu: '2' } } }],
    })
    expect(summary).toBe(
      '{"initContainers":[{"name":"setup","resources":{}}],' +
        '"containers":[{"name":"app","resources":{"limits":{"cpu":"2"},"requests":{"cpu":"1","memory":"1Gi"}}}]}',
    )
  })
})
