/** How deep in submodules one is, and how many were opened so far for one snapshot, whatever refers to what. */
export interface Nesting {
  readonly depth: number
  readonly opened: { count: number }
}

export const outermost = (): Nesting => ({ depth: 0, opened: { count: 0 } })

export const deeper = ({ depth, opened }: Nesting): Nesting => ({ depth: depth + 1, opened })
