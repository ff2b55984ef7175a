import { describe, expect, it } from 'vitest'
import { happeningsFor, WaitingPods } from './waiting.ts'

describe('WaitingPods', () => {
  it('parks a pod until something helps, and backs off between attempts', () => {
    const waiting = new WaitingPods()
    waiting.add('a', 0)
    expect(waiting.delay('a', 0)).toBe(0)
    waiting.park('a', happeningsFor(new Set(['NodeResourcesFit'])), 0)
    expect(waiting.delay('a', 0)).toBe(300_000)
    expect(waiting.happened('volume')).toEqual([])
    expect(waiting.happened('podGone')).toEqual(['a'])
    expect(waiting.delay('a', 400)).toBe(600)
    waiting.park('a', new Set(['node']), 1000)
    waiting.happened('node')
    expect(waiting.delay('a', 1000)).toBe(2000)
  })

  it('lets more important pods go first', () => {
    const waiting = new WaitingPods()
    waiting.add('low', 0)
    waiting.add('high', 1000)
    expect(waiting.moreImportant('low')).toBe('high')
    expect(waiting.moreImportant('high')).toBeUndefined()
    waiting.forget('high')
    expect(waiting.moreImportant('low')).toBeUndefined()
  })
})
