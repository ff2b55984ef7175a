// Which rule decided a field of what is simulated, as `homeostat explain` tells of it.

export interface DecidedField {
  /** `runs`, `probes.readiness`, `image.pulls` … */
  readonly field: string
  /** `WorkloadProfile slow-api`, `built-in profile nginx`. */
  readonly rule: string
}
