import { expect, it } from 'vitest'
import { parseJson } from '../text/json.ts'
import { patchStrictErrors } from './strict.ts'

it.each([
  ['{"data":{"a":"1","a":"2"},"x":[{"b":1,"b":2}]}', ['duplicate field "data.a"', 'duplicate field "x[0].b"']],
  ['{"data":{"a":"1"}}', []],
  [
    '[{"op":"add","path":"/x","value":1,"foo":2},{"op":"add","op":"add","path":"/y"}]',
    ['json patch unknown field "[0].foo"', 'json patch duplicate field "[1].op"'],
  ],
])('%s', (text, errors) => {
  expect(patchStrictErrors(parseJson(text))).toEqual(errors)
})
