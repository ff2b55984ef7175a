// What is said when a volume is of another zone.
import { describe, expect, it } from 'vitest'
import {
  bound,
  claim,
  helpless,
  pod,
  using,
  verdict,
  volume,
  zone,
  zoned,
} from '../../../../test/support/scheduling-scene.ts'

describe('VolumeZone', () => {
  it('a volume of another zone', () => {
    expect(
      verdict(pod('p', using('c')), {
        nodes: zoned.slice(0, 2),
        objects: [claim('c', { spec: { volumeName: 'pv' }, annotations: bound }), volume('pv', {}, { [zone]: 'z' })],
      }),
    ).toBe(`0/2 nodes are available: 2 node(s) had no available volume zone.${helpless(2)}`)
  })
})
