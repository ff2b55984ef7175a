// Numbers that may be given as a percentage of something (`maxSurge: 25%`), resolved as in
// k8s.io/apimachinery/pkg/util/intstr.

/** The value of `25%` of `total`, or the number itself; undefined for text that is no percentage. */
export function scaledValue(
  value: number | string,
  total: number,
  { roundUp }: { readonly roundUp: boolean },
): number | undefined {
  if (typeof value === 'number') return value
  const percent = percentOf(value)
  if (percent === undefined) return undefined
  const exact = (percent * total) / 100
  return roundUp ? Math.ceil(exact) : Math.floor(exact)
}

/** The number before the percent sign. */
export function percentOf(text: string): number | undefined {
  const match = /^([-+]?[0-9]+)%$/.exec(text)
  return match === null ? undefined : Number(match[1])
}
