// The order of versions by how settled they are: v2, v1, v1beta2, v1alpha1, then other names
// (apimachinery/pkg/version/helpers.go).

const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/
const ranks: Readonly<Record<string, number>> = { alpha: 1, beta: 2 }

interface Parsed {
  readonly rank: number
  readonly major: number
  readonly minor: number
}

function parse(version: string): Parsed | undefined {
  const match = pattern.exec(version)
  if (match === null) return undefined
  const [, major, stage, minor] = match
  return { rank: stage === undefined ? 3 : (ranks[stage] ?? 0), major: Number(major), minor: Number(minor ?? 0) }
}

/** Negative when `a` comes before `b`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  if (left === undefined || right === undefined) {
    if (left === undefined && right === undefined) return a < b ? -1 : a > b ? 1 : 0
    return left === undefined ? 1 : -1
  }
  return right.rank - left.rank || right.major - left.major || right.minor - left.minor
}
