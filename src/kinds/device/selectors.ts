// Selectors of devices and what is configured for them: shared by device classes and claims.

import { checkCompiles } from '../admissionrule/expression.ts'
import { typeName } from '../cel/index.ts'
import { checkDriverName } from '../csidriver/index.ts'
import { type FieldError, invalid, required, tooLong } from '../field-error.ts'
import type { DeviceClassConfiguration, DeviceSelector } from '../generated/types.ts'
import { byteLength } from '../metadata/formats.ts'
import { deviceEnvironment } from './environment.ts'
import type { Place } from './names.ts'
import { checkSet } from './set.ts'

const maxSelectors = 32
const maxExpressionBytes = 10 * 1024
const maxParameterBytes = 10 * 1024

export function checkSelectors(selectors: readonly DeviceSelector[], path: string, errors: FieldError[]): void {
  checkSet(selectors, { path, max: maxSelectors, errors }, ({ cel }, at) => {
    const where = `${at}.cel.expression`
    if (cel === undefined) errors.push(required(`${at}.cel`))
    else if (byteLength(cel.expression ?? '') > maxExpressionBytes) errors.push(tooLong(where, maxExpressionBytes))
    else checkSelector(cel.expression ?? '', where, errors)
  })
}

/** What it gives may be unknown before it runs: attributes are of any type. */
function checkSelector(expression: string, path: string, errors: FieldError[]): void {
  const type = checkCompiles(expression, { path, environment: deviceEnvironment, errors })
  if (type === undefined || type.kind === 'bool' || type.kind === 'any') return
  errors.push(invalid(path, expression, `must evaluate to bool or the unknown type, not ${typeName(type)}`))
}

export function checkConfiguration({ opaque }: DeviceClassConfiguration, path: string, errors: FieldError[]): void {
  const at = `${path}.opaque`
  if (opaque === undefined) {
    errors.push(required(at))
    return
  }
  checkDriverName(opaque.driver ?? '', `${at}.driver`, errors)
  checkParameters(opaque.parameters, { path: `${at}.parameters`, errors })
}

/** What only a driver reads: any JSON object. */
export function checkParameters(parameters: unknown, { path, errors }: Place): void {
  // An absent value is null in an object that has been decoded.
  if (parameters === undefined || parameters === null) errors.push(required(path))
  else if (byteLength(JSON.stringify(parameters)) > maxParameterBytes) errors.push(tooLong(path, maxParameterBytes))
  else if (typeof parameters !== 'object' || Array.isArray(parameters))
    errors.push(invalid(path, '<value omitted>', 'parameters must be a valid JSON object'))
}
