// Columns as kubectl pads them: three blanks between, nothing after the last.

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const all = [head, ...rows]
  const widths = head.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)))
  return all.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('   ')
      .trimEnd(),
  )
}

const digits = /(\d+)/

/** Orders `p2` before `p10`. */
export function byNumberedName(a: string, b: string): number {
  const [left, right] = [a.split(digits), b.split(digits)]
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const [x = '', y = ''] = [left[i], right[i]]
    if (x === y) continue
    return i % 2 === 1 && Number(x) !== Number(y) ? Number(x) - Number(y) : x < y ? -1 : 1
  }
  return left.length - right.length
}
