// Why a plug-in does not want a pod on a node.

/** Why a node (or every node) is refused. */
export interface Refusal {
  readonly reasons: readonly string[]
  /** Taking pods away from the node would not help. */
  readonly unresolvable: boolean
}

export const refuse = (...reasons: readonly string[]): Refusal => ({ reasons, unresolvable: false })
export const refuseForGood = (...reasons: readonly string[]): Refusal => ({ reasons, unresolvable: true })

export interface Refused {
  readonly plugin: string
  readonly refusal: Refusal
}
