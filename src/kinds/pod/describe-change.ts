// The difference of two values as an indented list of lines, in the manner of go-cmp: what Kubernetes appends to the
// refusal of a change. go-cmp's own text is not stable, so neither clients nor tests may read it.

import { isEqual } from '#objects'

export function describeChange(old: unknown, now: unknown, name = 'core.PodSpec'): string {
  return `  ${name}{\n${lines(old, now, '  \t').join('\n')}\n  }\n`
}

function lines(old: unknown, now: unknown, indent: string): readonly string[] {
  const [before, after] = [entriesOf(old), entriesOf(now)]
  const keys = [...new Set([...before.keys(), ...after.keys()])]
  const out: string[] = []
  let same = 0
  for (const key of keys) {
    const [a, b] = [before.get(key), after.get(key)]
    if (isEqual(a, b)) same++
    else if (isTree(a) && isTree(b)) out.push(`${indent}${key}: {`, ...lines(a, b, `${indent}\t`), `${indent}},`)
    else {
      if (a !== undefined) out.push(`- ${indent.slice(2)}${key}: ${JSON.stringify(a)},`)
      if (b !== undefined) out.push(`+ ${indent.slice(2)}${key}: ${JSON.stringify(b)},`)
    }
  }
  if (same > 0) out.push(`${indent}... // ${same} identical ${same === 1 ? 'field' : 'fields'}`)
  return out
}

const isTree = (value: unknown): boolean => typeof value === 'object' && value !== null

function entriesOf(value: unknown): ReadonlyMap<string, unknown> {
  if (Array.isArray(value)) return new Map(value.map((element, i) => [String(i), element]))
  return new Map(
    Object.entries((value ?? {}) as object).map(([key, field]) => [key.charAt(0).toUpperCase() + key.slice(1), field]),
  )
}
