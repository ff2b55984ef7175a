// Numbers and flags in a query, as Go's conversion of url.Values reads them and as strconv tells what it cannot read.

const bounds = {
  ParseInt: { form: /^[+-]?\d+$/, least: -(2n ** 63n), most: 2n ** 63n - 1n },
  ParseUint: { form: /^\d+$/, least: 0n, most: 2n ** 64n - 1n },
} as const

/** Longer numbers are out of any range: they are not worked out. */
const mostDigits = 40

/** What Go says of a text that is no such number; undefined for one that is. */
export function numberFault(text: string, parser: keyof typeof bounds): string | undefined {
  const { form, least, most } = bounds[parser]
  const fault = (why: string): string => `strconv.${parser}: parsing ${JSON.stringify(text)}: ${why}`
  if (!form.test(text)) return fault('invalid syntax')
  const digits = text.replace(/^\+/, '')
  const isInRange = digits.length <= mostDigits && BigInt(digits) >= least && BigInt(digits) <= most
  return isInRange ? undefined : fault('value out of range')
}

/** A number of 64 bits; an error, made by `refuse`, for a text that is none. */
export function parseInt64(text: string | undefined, refuse: (why: string) => Error): number | undefined {
  if (text === undefined) return undefined
  const fault = numberFault(text, 'ParseInt')
  if (fault !== undefined) throw refuse(fault)
  return Number(text)
}

/** Anything but these words is true, and so is no word at all. */
export const parseFlag = (text: string | undefined): boolean | undefined =>
  text === undefined ? undefined : text !== '0' && text.toLowerCase() !== 'false'

/** The values of `dryRun`, which may be repeated. */
export const dryRunOf = (text: string | undefined): readonly string[] => (text === undefined ? [] : text.split('\0'))
