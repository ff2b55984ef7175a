// Circles of imports: files of which none can be understood, or moved, without all of the others.

/** Groups of files that import one another in a loop (Tarjan's strongly connected components), each sorted. */
export function circlesIn(imports: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (file: string): number => {
    const mine = order.size
    order.set(file, mine)
    open.push(file)
    let lowest = mine
    for (const next of imports.get(file) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next))
      else if (open.includes(next)) lowest = Math.min(lowest, order.get(next) ?? lowest)
    }
    if (lowest !== mine) return lowest
    const circle = open.splice(open.indexOf(file))
    if (circle.length > 1) circles.push(circle.sort())
    return lowest
  }
  for (const file of imports.keys()) if (!order.has(file)) visit(file)
  return circles
}
