// Metrics and behaviour of autoscalers in the two shapes they have: as autoscaling/v2 says them, and as autoscaling/v1
// keeps them in annotations.

type Fields = Readonly<Record<string, unknown>>

interface Target {
  readonly type?: string
  readonly value?: unknown
  readonly averageValue?: unknown
  readonly averageUtilization?: number
}

interface Named {
  readonly name?: string
  readonly selector?: unknown
}

interface Source {
  readonly name?: string
  readonly container?: string
  readonly metric?: Named
  readonly describedObject?: unknown
  readonly target?: Target
  readonly current?: Target
}

export interface MetricV2 {
  readonly type: string
  readonly resource?: Source
  readonly containerResource?: Source
  readonly pods?: Source
  readonly object?: Source
  readonly external?: Source
}

const kinds = ['resource', 'containerResource', 'pods', 'object', 'external'] as const
type SourceKind = (typeof kinds)[number]

const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const perKind = <T>(
  metric: Readonly<Record<string, unknown>>,
  convert: (kind: SourceKind, source: T) => Fields,
): Fields =>
  Object.fromEntries(
    kinds.flatMap((kind) => (metric[kind] === undefined ? [] : [[kind, convert(kind, metric[kind] as T)]])),
  )

/** What a metric shall be and what it is stand in fields of the same names but for their beginning. */
type Part = 'target' | 'current'

const sourceToV1 =
  (part: Part) =>
  (kind: SourceKind, source: Source): Fields => {
    const { name, container, metric, describedObject } = source
    const { value, averageValue, averageUtilization } = source[part] ?? {}
    const [ownValue, ownAverage] = [`${part}Value`, `${part}AverageValue`]
    switch (kind) {
      case 'resource':
      case 'containerResource':
        return present({
          name,
          [`${part}AverageUtilization`]: averageUtilization,
          [ownAverage]: averageValue,
          container,
        })
      case 'pods':
        return present({ metricName: metric?.name, [ownAverage]: averageValue, selector: metric?.selector })
      case 'object':
        return present({
          target: describedObject,
          metricName: metric?.name,
          [ownValue]: value ?? '0',
          selector: metric?.selector,
          averageValue,
        })
      default:
        return present({
          metricName: metric?.name,
          metricSelector: metric?.selector,
          [ownValue]: part === 'current' ? (value ?? '0') : value,
          [ownAverage]: averageValue,
        })
    }
  }

const toV1 =
  (part: Part) =>
  (metric: MetricV2): Fields => ({
    type: metric.type,
    ...perKind<Source>(metric as unknown as Fields, sourceToV1(part)),
  })

export const metricToV1 = toV1('target')
export const statusMetricToV1 = toV1('current')

function sourceToV2(kind: SourceKind, source: Fields): Fields {
  const {
    targetAverageUtilization,
    targetAverageValue,
    targetValue,
    averageValue,
    metricName,
    selector,
    metricSelector,
  } = source
  const average = targetAverageValue ?? averageValue
  const type = targetAverageUtilization !== undefined ? 'Utilization' : average !== undefined ? 'AverageValue' : 'Value'
  const value = average === undefined ? targetValue : undefined
  const target = present({ type, averageUtilization: targetAverageUtilization, averageValue: average, value })
  const metric = present({ name: metricName, selector: selector ?? metricSelector })
  if (kind === 'resource' || kind === 'containerResource')
    return present({ name: source['name'], container: source['container'], target })
  return present({ describedObject: kind === 'object' ? source['target'] : undefined, metric, target })
}

export const metricToV2 = (metric: Fields): MetricV2 =>
  ({ type: metric['type'], ...perKind<Fields>(metric, sourceToV2) }) as unknown as MetricV2

interface Rules {
  readonly stabilizationWindowSeconds?: number
  readonly selectPolicy?: string
  readonly policies?: readonly { readonly type: string; readonly value: number; readonly periodSeconds: number }[]
  readonly tolerance?: unknown
}

export interface Behavior {
  readonly scaleUp?: Rules
  readonly scaleDown?: Rules
}

const upper = (rules: Rules | undefined): object | null =>
  rules === undefined
    ? null
    : {
        StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
        SelectPolicy: rules.selectPolicy ?? null,
        Policies:
          rules.policies?.map(({ type, value, periodSeconds }) => ({
            Type: type,
            Value: value,
            PeriodSeconds: periodSeconds,
          })) ?? null,
        Tolerance: rules.tolerance ?? null,
      }

/** Go's internal struct, which has no JSON names. */
export const behaviorText = ({ scaleUp, scaleDown }: Behavior): string =>
  JSON.stringify({ ScaleUp: upper(scaleUp), ScaleDown: upper(scaleDown) })

const lowerFirst = (name: string): string => `${name[0]?.toLowerCase() ?? ''}${name.slice(1)}`

function lower(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lower)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(fields.map(([name, field]) => [lowerFirst(name), lower(field)]))
}

export function behaviorFromText(text: string | undefined): Behavior | undefined {
  if (text === undefined) return undefined
  try {
    return lower(JSON.parse(text)) as Behavior
  } catch {
    return undefined
  }
}
