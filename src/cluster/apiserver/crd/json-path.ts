// JSONPath as printer columns use it (client-go/util/jsonpath): fields, indices, slices, unions, wildcards and filters
// by comparison.

type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'slice'; readonly from: number; readonly to: number | undefined; readonly step: number }
  | { readonly type: 'union'; readonly paths: readonly (readonly Step[])[] }
  | { readonly type: 'all' }
  | { readonly type: 'filter'; readonly path: readonly Step[]; readonly operator: string; readonly value: unknown }
  | { readonly type: 'recursive' }

const parsedPaths = new Map<string, readonly Step[] | undefined>()
const maxParsed = 1000

/** All values that the path leads to. Empty for a path that cannot be read. */
export function findValues(object: unknown, path: string): readonly unknown[] {
  if (!parsedPaths.has(path)) {
    if (parsedPaths.size >= maxParsed) parsedPaths.clear()
    parsedPaths.set(path, parsePath(path))
  }
  const steps = parsedPaths.get(path)
  return steps === undefined ? [] : walk([object], steps)
}

function walk(values: readonly unknown[], steps: readonly Step[]): readonly unknown[] {
  return steps.reduce<readonly unknown[]>((now, step) => now.flatMap((value) => take(value, step)), values)
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined

function take(value: unknown, step: Step): readonly unknown[] {
  switch (step.type) {
    case 'field': {
      const found = fieldsOf(value)?.[step.name]
      return found === undefined ? [] : [found]
    }
    case 'slice':
      return Array.isArray(value) ? sliced(value as readonly unknown[], step) : []
    case 'union':
      return step.paths.flatMap((path) => walk([value], path))
    case 'all':
      return Array.isArray(value) ? value : Object.values(fieldsOf(value) ?? {})
    case 'filter':
      return Array.isArray(value) ? (value as readonly unknown[]).filter((element) => holds(element, step)) : []
    case 'recursive':
      return [
        value,
        ...(Array.isArray(value) ? value : Object.values(fieldsOf(value) ?? {})).flatMap((inner) => take(inner, step)),
      ]
  }
}

function holds(element: unknown, { path, operator, value }: Extract<Step, { type: 'filter' }>): boolean {
  const [found] = walk([element], path)
  switch (operator) {
    case '':
      return found !== undefined
    case '==':
      return found === value
    case '!=':
      return found !== undefined && found !== value
    case '<':
      return typeof found === typeof value && (found as number) < (value as number)
    case '>':
      return typeof found === typeof value && (found as number) > (value as number)
    case '<=':
      return typeof found === typeof value && (found as number) <= (value as number)
    default:
      return typeof found === typeof value && (found as number) >= (value as number)
  }
}

/** Nothing where an end lies outside of the list. */
function sliced(list: readonly unknown[], { from, to, step }: Extract<Step, { type: 'slice' }>): readonly unknown[] {
  const start = from < 0 ? from + list.length : from
  const end = to === undefined ? list.length : to < 0 ? to + list.length : to
  if (start < 0 || start >= list.length || end < start || end > list.length || step < 1) return []
  return list.slice(start, end).filter((_, i) => i % step === 0)
}

const token =
  /^(?:\.\.|\.?\[\?\((?<filter>.*?)\)\]|\.?\[(?<array>[^\]\n]*)\]|\.\*|\.(?<field>(?:\\.|[^\\.,[\]$@{} \t\r\n])+))/

function parsePath(text: string): readonly Step[] | undefined {
  const steps: Step[] = []
  let rest = text.replace(/^\{|\}$/g, '').replace(/^[$@]/, '')
  while (rest !== '') {
    const match = token.exec(rest)
    if (match === null) return undefined
    // What stands behind `..` is the name of a field, or a list.
    const isRecursive = match[0] === '..'
    rest = isRecursive && rest[2] !== '[' ? `.${rest.slice(2)}` : rest.slice(match[0].length)
    const found = stepsOf(match)
    if (found === undefined) return undefined
    steps.push(...found)
  }
  return steps
}

function stepsOf(match: RegExpExecArray): readonly Step[] | undefined {
  const { filter, array, field } = match.groups ?? {}
  if (filter !== undefined) return filterOf(filter)
  if (array !== undefined) return arraySteps(array)
  if (field !== undefined) return [{ type: 'field', name: field.replaceAll('\\', '') }]
  return [match[0] === '..' ? { type: 'recursive' } : { type: 'all' }]
}

/** What stands in brackets. A quoted key is a path of its own: dots in its name are escaped there too. */
function arraySteps(text: string): readonly Step[] | undefined {
  const parts = text.split(',')
  if (parts.length > 1) {
    const paths = parts.map((part) => arraySteps(part.trim()))
    return paths.includes(undefined) ? undefined : [{ type: 'union', paths: paths as readonly (readonly Step[])[] }]
  }
  const key = /^'([^']*)'$/.exec(text)
  if (key !== null) return parsePath(`.${key[1]}`)
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text === '*' ? ':' : text)
  if (match === null) return undefined
  const [, from = '', end, step = ''] = match
  const [first, to, by] = [from, end?.slice(1) ?? '', step.slice(1)].map((part) =>
    part === '' ? undefined : Number(part),
  )
  if (Number.isNaN((first ?? 0) + (to ?? 0) + (by ?? 0))) return undefined
  // One index alone is a slice of one; of the last element it has no end.
  const single = end === undefined ? (first ?? 0) + 1 : to
  return [
    { type: 'slice', from: first ?? 0, to: end === undefined && single === 0 ? undefined : single, step: by ?? 1 },
  ]
}

function filterOf(text: string): readonly Step[] | undefined {
  const match = /^\s*@(?<path>[^=!<>]*?)\s*(?:(?<operator>==|!=|<=|>=|<|>)\s*(?<value>.+?)\s*)?$/.exec(text)
  if (match === null) return undefined
  const { path = '', operator = '', value } = match.groups ?? {}
  const inner = parsePath(path)
  return inner === undefined ? undefined : [{ type: 'filter', path: inner, operator, value: literal(value) }]
}

function literal(text: string | undefined): unknown {
  if (text === undefined) return undefined
  const quoted = /^(["'])(.*)\1$/.exec(text)
  if (quoted !== null) return quoted[2]
  return text === 'true' ? true : text === 'false' ? false : Number(text)
}
