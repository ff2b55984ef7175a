// Numbers on the command line: what is none, or out of bounds, is told with the option and what it takes.

import { CommandError, exitCode } from './exit-code.ts'

export function number(
  name: string,
  text: string,
  limits: { readonly min: number; readonly max?: number; readonly whole?: boolean },
): number {
  const value = Number(text)
  const { min, max = Number.POSITIVE_INFINITY, whole = true } = limits
  if (
    text.trim() === '' ||
    !Number.isFinite(value) ||
    value < min ||
    value > max ||
    (whole && !Number.isInteger(value))
  )
    throw new CommandError(
      `--${name} ${text}: give a ${whole ? 'whole ' : ''}number from ${min}${max === Number.POSITIVE_INFINITY ? '' : ` to ${max}`}`,
      exitCode.usage,
    )
  return value
}
