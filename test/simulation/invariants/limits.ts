// What a rolling update allows, by Kubernetes' rules of rounding: surge up, unavailability down, and never both zero.

export interface RollingUpdate {
  readonly maxSurge?: string | number
  readonly maxUnavailable?: string | number
}

export const scaled = (value: string | number | undefined, of: number, round: (n: number) => number): number => {
  if (value === undefined) return 0
  if (typeof value === 'number') return value
  return value.endsWith('%') ? round((Number(value.slice(0, -1)) * of) / 100) : Number(value)
}

export function rollingLimits(
  replicas: number,
  rolling: RollingUpdate = {},
): { readonly most: number; readonly least: number } {
  const surge = scaled(rolling.maxSurge ?? '25%', replicas, Math.ceil)
  const down = scaled(rolling.maxUnavailable ?? '25%', replicas, Math.floor)
  const unavailable = surge === 0 && down === 0 ? 1 : down
  return { most: replicas + surge, least: replicas - Math.min(unavailable, replicas) }
}
