// Why a node does not take a pod, and whether others could make room for it.

export interface Shortage {
  readonly resource: string
  readonly missing: number
}

export interface Rejection {
  readonly reason: string
  readonly message: string
  /** Nothing else stands in the way of a critical pod: less important ones could make room. */
  readonly shortages?: readonly Shortage[]
}
