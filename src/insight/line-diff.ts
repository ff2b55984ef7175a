// A unified diff of two texts by lines, with three lines of context: the longest common subsequence after the common head
// and tail are taken off, so the table stays small for manifests that differ in a few places.

type Edit = { readonly mark: ' ' | '-' | '+'; readonly line: string }

const contextLines = 3

/** Length of the common head (or, of the reversed lists, tail). */
function commonLength(a: readonly string[], b: readonly string[]): number {
  let n = 0
  while (n < a.length && n < b.length && a[n] === b[n]) n++
  return n
}

function editsOf(a: readonly string[], b: readonly string[]): readonly Edit[] {
  const width = b.length + 1
  const longest = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0)
  const edits: Edit[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]]
    if (left !== undefined && left === right) {
      edits.push({ mark: ' ', line: left })
      i++
      j++
    } else if (
      left !== undefined &&
      (right === undefined || (longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0))
    ) {
      edits.push({ mark: '-', line: left })
      i++
    } else {
      edits.push({ mark: '+', line: right ?? '' })
      j++
    }
  }
  return edits
}

/** The changed lines with their context, `@@` between places that are apart; empty for equal texts. */
export function lineDiff(from: readonly string[], to: readonly string[]): readonly string[] {
  const head = commonLength(from, to)
  const tail = commonLength(from.slice(head).reverse(), to.slice(head).reverse())
  const middle = editsOf(from.slice(head, from.length - tail), to.slice(head, to.length - tail))
  if (middle.length === 0) return []
  const same = (line: string): Edit => ({ mark: ' ', line })
  const edits = [...from.slice(0, head).map(same), ...middle, ...from.slice(from.length - tail).map(same)]
  const shown = edits.map((_, i) =>
    edits.slice(Math.max(0, i - contextLines), i + contextLines + 1).some(({ mark }) => mark !== ' '),
  )
  return edits.flatMap(({ mark, line }, i) =>
    shown[i] !== true ? [] : [...(i > 0 && shown[i - 1] !== true ? ['@@'] : []), `${mark} ${line}`.trimEnd()],
  )
}
