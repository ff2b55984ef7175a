// Numbers that may be written as a share: `2` or `25%`, of a total. Pure.

/** The number that `value` stands for; undefined when it is neither a whole number nor a percentage. */
export function scaledValue(value: number | string, total: number, rounding: 'up' | 'down'): number | undefined {
  if (typeof value === 'number') return value
  const match = /^(\d+)%$/.exec(value)
  if (match === null) return undefined
  const share = (Number(match[1]) * total) / 100
  return rounding === 'up' ? Math.ceil(share) : Math.floor(share)
}
