import { describe, expect, it } from 'vitest'
import { warningHeaders } from './warnings.ts'

describe('warnings', () => {
  it('are each a header, said once, with quotes escaped', () => {
    expect(warningHeaders(['unknown field "x"', 'b\nc', '', 'b\nc'])).toEqual([
      '299 - "unknown field \\"x\\""',
      '299 - "b c"',
    ])
  })

  it('are cut when together they are longer than clients take', () => {
    const long = `unknown field ${'x'.repeat(70_000)}`
    const headers = warningHeaders([long, 'short', ...Array.from({ length: 100 }, (_, i) => `${i}${'y'.repeat(300)}`)])
    expect(headers[0]).toBe(`299 - "${long.slice(0, 256)}"`)
    expect(headers[1]).toBe('299 - "short"')
    expect(headers.join('').length).toBeLessThan(5000)
  })
})
