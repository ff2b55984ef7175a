// Selectors of devices and what is configured for them: shared by device classes and claims.

import { checkExpression } from '../admissionrule/expression.ts'
import { checkDriverName } from '../csidriver/index.ts'
import { type FieldError, required, tooLong } from '../field-error.ts'
import type { DeviceClassConfiguration, DeviceSelector } from '../generated/types.ts'
import { byteLength } from '../metadata/formats.ts'
import { checkSet } from './set.ts'

const maxSelectors = 32
const maxExpressionBytes = 10 * 1024
const maxParameterBytes = 10 * 1024

export function checkSelectors(selectors: readonly DeviceSelector[], path: string, errors: FieldError[]): void {
  checkSet(selectors, { path, max: maxSelectors, errors }, ({ cel }, at) => {
    const where = `${at}.cel.expression`
    if (cel === undefined) errors.push(required(`${at}.cel`))
    else if (byteLength(cel.expression ?? '') > maxExpressionBytes) errors.push(tooLong(where, maxExpressionBytes))
    else checkExpression(cel.expression ?? '', ['bool'], { path: where, variables: ['device'], errors })
  })
}

export function checkConfiguration({ opaque }: DeviceClassConfiguration, path: string, errors: FieldError[]): void {
  const at = `${path}.opaque`
  if (opaque === undefined) {
    errors.push(required(at))
    return
  }
  checkDriverName(opaque.driver ?? '', `${at}.driver`, errors)
  // An absent value is null in an object that has been decoded.
  const parameters = opaque.parameters ?? undefined
  if (parameters === undefined) errors.push(required(`${at}.parameters`))
  else if (byteLength(JSON.stringify(parameters)) > maxParameterBytes)
    errors.push(tooLong(`${at}.parameters`, maxParameterBytes))
}
