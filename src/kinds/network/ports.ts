// Ports that may be a number or a name.

import type { FieldError } from '../field-error.ts'
import { invalid } from '../field-error.ts'
import { portName, portNumber } from '../metadata/formats.ts'

export function checkPort(port: number | string | undefined, path: string, errors: FieldError[]): void {
  const value = port ?? 0
  for (const text of typeof value === 'number' ? portNumber(value) : portName(value))
    errors.push(invalid(path, value, text))
}

export const protocols: readonly string[] = ['SCTP', 'TCP', 'UDP']
