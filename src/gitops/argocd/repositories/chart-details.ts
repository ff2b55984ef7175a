// What a chart says of itself, in its Chart.yaml.

import { parse } from 'yaml'
import { SourceError, type Sources } from '#gitops/source'
import { type Application, sourcesIn } from '#kinds'

export interface ChartDetails {
  readonly description: string
  readonly home: string
  readonly version: string
  readonly sources: readonly string[]
  /** Names, with addresses where they have one. */
  readonly maintainers: readonly string[]
}

const fileName = 'Chart.yaml'

/** Of the first source that is a chart. Throws SourceError. */
export async function readChartDetails(sources: Sources, app: Application, version: string): Promise<ChartDetails> {
  const source = sourcesIn(app.spec).find(({ chart = '' }) => chart !== '')
  if (source === undefined)
    throw new SourceError('InvalidPath', `application ${app.metadata.name} has no source that is a chart`)
  const snapshot = await sources.repository(source.repoURL, source.chart).snapshot(version)
  const { files } = await snapshot.list('.', { recurse: false })
  const file = files.find(({ path }) => path === fileName)
  if (file === undefined) throw new SourceError('InvalidPath', `chart ${source.chart} has no ${fileName}`)
  return detailsIn(Buffer.from(await snapshot.read('.', file)).toString('utf8'))
}

function detailsIn(text: string): ChartDetails {
  let chart: unknown
  try {
    chart = parse(text)
  } catch (error) {
    throw new SourceError('InvalidPath', `${fileName}: ${(error as Error).message.split('\n')[0]}`)
  }
  const fields = (typeof chart === 'object' && chart !== null ? chart : {}) as Readonly<Record<string, unknown>>
  const listOf = (name: string): readonly unknown[] => (Array.isArray(fields[name]) ? fields[name] : [])
  return {
    description: textOf(fields['description']),
    home: textOf(fields['home']),
    version: textOf(fields['version']),
    sources: listOf('sources').map(textOf),
    maintainers: listOf('maintainers').map((each) => {
      const { name, email } = each as { readonly name?: unknown; readonly email?: unknown }
      return `${textOf(name)}${email === undefined ? '' : ` <${textOf(email)}>`}`
    }),
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
