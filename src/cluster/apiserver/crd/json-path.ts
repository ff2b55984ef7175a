// JSONPath as printer columns use it (client-go/util/jsonpath): fields, indices, wildcards and filters by equality.

type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'index'; readonly index: number }
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
      return found === undefined || found === null ? [] : [found]
    }
    case 'index': {
      const found = Array.isArray(value) ? (value as readonly unknown[]).at(step.index) : undefined
      return found === undefined ? [] : [found]
    }
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

const token =
  /^(?:\.\.|\.?\[\?\((?<filter>.*?)\)\]|\.?\[\*\]|\.?\[(?<index>-?\d+)\]|\.?\['(?<quoted>[^']+)'\]|\.\*|\.(?<field>(?:\\.|[^.[\]])+))/

function parsePath(text: string): readonly Step[] | undefined {
  const steps: Step[] = []
  let rest = text.replace(/^\{|\}$/g, '').replace(/^[$@]/, '')
  while (rest !== '') {
    const match = token.exec(rest)
    if (match === null) return undefined
    rest = match[0] === '..' ? `.${rest.slice(2)}` : rest.slice(match[0].length)
    const step = stepOf(match)
    if (step === undefined) return undefined
    steps.push(step)
  }
  return steps
}

function stepOf(match: RegExpExecArray): Step | undefined {
  const { filter, index, quoted, field } = match.groups ?? {}
  if (filter !== undefined) return filterOf(filter)
  if (index !== undefined) return { type: 'index', index: Number(index) }
  if (quoted !== undefined) return { type: 'field', name: quoted }
  if (field !== undefined) return { type: 'field', name: field.replace(/\\(.)/g, '$1') }
  return match[0] === '..' ? { type: 'recursive' } : { type: 'all' }
}

function filterOf(text: string): Step | undefined {
  const match = /^\s*@(?<path>[^=!<>]*?)\s*(?:(?<operator>==|!=|<=|>=|<|>)\s*(?<value>.+?)\s*)?$/.exec(text)
  if (match === null) return undefined
  const { path = '', operator = '', value } = match.groups ?? {}
  const inner = parsePath(path)
  return inner === undefined ? undefined : { type: 'filter', path: inner, operator, value: literal(value) }
}

function literal(text: string | undefined): unknown {
  if (text === undefined) return undefined
  const quoted = /^(["'])(.*)\1$/.exec(text)
  if (quoted !== null) return quoted[2]
  return text === 'true' ? true : text === 'false' ? false : Number(text)
}
