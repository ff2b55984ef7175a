import { describe, expect, it } from 'vitest'
import { decideRoom, resizeSummary } from './resize-room.ts'

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
