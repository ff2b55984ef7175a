import { expect, it } from 'vitest'
import type { FieldError } from '../field-error.ts'
import { checkClient, type WebhookClient } from './client.ts'

it.each<[WebhookClient, readonly string[]]>([
  [{ url: 'https://hook.example.com:8443/a' }, []],
  [{ service: { name: 'a', namespace: 'b', port: 443, path: '/a/b' } }, []],
  [{}, ['c: Required value: exactly one of url or service is required']],
  [
    { url: 'https://user:word@/a?b#d' },
    [
      'c.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
      'c.url: Invalid value: "user:word": user information is not permitted in the URL',
      'c.url: Invalid value: "d": fragments are not permitted in the URL',
      'c.url: Invalid value: "b": query parameters are not permitted in the URL',
    ],
  ],
  [
    { service: { port: 0, path: 'a//b' } },
    [
      'c.service.name: Required value',
      'c.service.namespace: Required value',
      'c.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      'c.service.path: Invalid value: "a//b": must start with a \'/\'',
      'c.service.path: Invalid value: "a//b": segment[0] may not be empty',
      'c.service.path: Invalid value: "a//b": segment[1] may not be empty',
    ],
  ],
])('%j', (client, expected) => {
  const errors: FieldError[] = []
  checkClient(client, 'c', errors)
  expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected)
})
