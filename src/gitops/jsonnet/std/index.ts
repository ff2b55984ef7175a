// The standard library, all of it hidden: whoever manifests `std` gets an empty object.

import { JsonnetFault } from '../fault.ts'
import { textOf } from '../values/types.ts'
import { force, type Lazy, ObjectValue } from '../values/value.ts'
import { arrays } from './arrays.ts'
import { define } from './define.ts'
import { documents, type Readers } from './documents.ts'
import { encodings } from './encodings.ts'
import { numbers } from './numbers.ts'
import { objects } from './objects.ts'
import { sets } from './sets.ts'
import { strings } from './strings.ts'

export type { Readers } from './documents.ts'

export interface Surroundings {
  readonly readers: Readers
  readonly variables: ReadonlyMap<string, Lazy>
}

/** For one program. */
export function standardLibrary({ readers, variables }: Surroundings): ObjectValue {
  const extVar = define('extVar', 'x', (x) => {
    const name = textOf(x)
    const value = variables.get(name)
    if (value === undefined) throw new JsonnetFault(`Undefined external variable: ${name}`)
    return force(value)
  })
  // There are no native functions, and nobody who reads what is traced.
  const native = define('native', 'x', (x) => {
    textOf(x)
    return null
  })
  const trace = define('trace', 'str rest', (str, rest) => {
    textOf(str)
    return force(rest)
  })
  const themes = [numbers, strings, arrays, sets, objects, encodings, documents(readers)]
  return ObjectValue.ofValues([...themes.flat(), extVar, native, trace], 'hidden')
}

/** For one file of it. */
export const libraryFor = (library: ObjectValue, path: string): ObjectValue =>
  library.extendedBy(ObjectValue.ofValues([['thisFile', path]], 'hidden'))
