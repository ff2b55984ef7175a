// What an authoriser answers.

export interface Decision {
  readonly allowed: boolean
  /** By what it is allowed, or why not; may be empty. */
  readonly reason: string
}

export const allowed: Decision = { allowed: true, reason: '' }

export const refusedFor = (reason: string): Decision => ({ allowed: false, reason })
