// Host and Origin headers by a table.
import { describe, expect, it } from 'vitest'
import { refusalOf } from './browser-guard.ts'

describe('refusalOf', () => {
  it.each([
    ['127.0.0.1:7080', undefined, undefined],
    ['[::1]:7080', undefined, undefined],
    ['192.168.1.5:7080', undefined, undefined],
    ['localhost', undefined, undefined],
    ['LOCALHOST:7080', 'http://localhost:7080', undefined],
    ['127.0.0.1:7080', 'http://127.0.0.1:7080', undefined],
    ['127.0.0.1:7080', 'http://127.0.0.1:8000', 'requests from http://127.0.0.1:8000 are not accepted'],
    ['127.0.0.1:7080', 'null', 'requests from null are not accepted'],
    ['evil.example.com:7080', undefined, 'this server does not go by the name "evil.example.com"'],
    ['localhost.evil.example.com', undefined, 'this server does not go by the name "localhost.evil.example.com"'],
    ['user@localhost', undefined, 'the Host header is missing or malformed'],
    [undefined, undefined, 'the Host header is missing or malformed'],
  ])('%s from %s', (host, origin, refusal) => {
    expect(refusalOf({ host, origin }, ['localhost'])).toBe(refusal)
  })
})
