// A Helm chart: finds its files and values, and has `helm template` render it with what the Application says. Helm's hooks
// are not run by helm: they come out as objects, and the sync runs them.

import { ToolFault, type Tools, type WorkspaceFile } from '#gitops/tools'
import type { ApplicationSource, HelmSource } from '#kinds'
import { buildEnvironment, type Environment, substitute } from '../build-environment.ts'
import type { RenderProblem } from '../directory.ts'
import { type Content, faulty, type Plan, planKey, readAll } from '../plan.ts'
import { readOutput } from '../tool-output.ts'
import type { TreeFile } from '../tree.ts'
import { type ChartFiles, findChartFiles, findLookups } from './chart-files.ts'
import { escapeCommas, givenValues, templateArguments } from './template-arguments.ts'
import { findValueFile, ownPlace, type Trees } from './value-files.ts'

export interface HelmInput extends Trees {
  readonly tools: Tools
  readonly source: ApplicationSource
  readonly environment: Environment
}

/** Where the workspace has the chart: helm runs there. */
const chartPlace = ({ path }: HelmInput): string => (path === '' ? ownPlace : `${ownPlace}/${path}`)

/** A file of the workspace as helm finds it from the chart. */
const fromChart = (input: HelmInput, place: string): string =>
  `${'../'.repeat(chartPlace(input).split('/').length)}${place}`

/** Where the workspace has `values` and `valuesObject`. */
const givenPlace = 'given/values.yaml'

export async function planHelm(input: HelmInput): Promise<Plan> {
  const { tools, tree, path, source } = input
  const chart = await findChartFiles(tree, path, tools.network)
  if (!chart.files.has(path === '' ? 'Chart.yaml' : `${path}/Chart.yaml`))
    return faulty({ message: `no Chart.yaml is in ${path === '' ? '.' : path}` })
  if (chart.problems.length > 0) return faulty(...chart.problems)
  const helm = source.helm ?? {}
  if (helm.version !== undefined && helm.version !== '' && helm.version !== 'v3')
    return faulty({ message: `helm.version: ${helm.version} is not supported; leave it out` })
  const variables = buildEnvironment(input.environment, source, tree.revision)
  const values = await collect(input, helm.valueFiles ?? [], { variables, field: 'helm.valueFiles' })
  const parameters = await collectParameters(input, helm, variables)
  const problems = [...values.problems, ...parameters.problems]
  if (problems.length > 0) return faulty(...problems)
  const given = givenValues(helm)
  const words = templateArguments({
    helm,
    environment: input.environment,
    variables,
    values: [...values.words, ...(given === undefined ? [] : [fromChart(input, givenPlace)])],
    fileParameters: parameters.words,
  })
  const files = [...values.files, ...parameters.files]
  return {
    type: 'ready',
    key: planKey([...chart.files.values(), ...files.values()], 'helm', path, words, given),
    run: () => template(input, { chart, files, given, words }),
  }
}

interface Collected {
  /** As helm is given them: files of the workspace, or URLs. */
  readonly words: readonly string[]
  readonly files: readonly PlacedFile[]
  readonly problems: readonly RenderProblem[]
}

interface PlacedFile extends TreeFile {
  readonly place: string
}

interface Asking {
  readonly variables: Readonly<Record<string, string>>
  readonly field: string
}

async function collect(input: HelmInput, texts: readonly string[], { variables, field }: Asking): Promise<Collected> {
  const words: string[] = []
  const files: PlacedFile[] = []
  const problems: RenderProblem[] = []
  for (const raw of texts) {
    const name = /^\$(\w[\w-]*)/.exec(raw)?.[1]
    const isReference = name !== undefined && variables[name] === undefined
    const text = isReference ? raw : substitute(raw, variables)
    const answer = await findValueFile(input, text, field)
    if ('problem' in answer) problems.push(answer.problem)
    else if ('url' in answer) {
      if (input.tools.network) words.push(answer.url)
      else
        problems.push({
          message: `${field}: ${text} is remote, and nothing is fetched while manifests are rendered: copy it into the repository, or start with --render-network`,
        })
    } else if (answer.found.length > 0) {
      for (const { place, file } of answer.found) {
        words.push(fromChart(input, place))
        files.push({ ...file, place })
      }
    } else if (input.source.helm?.ignoreMissingValueFiles !== true) {
      problems.push({ message: `${field}: ${text} does not exist; set helm.ignoreMissingValueFiles to do without it` })
    }
  }
  return { words, files, problems }
}

/** `--set-file name=path`: always a file of the repository. */
async function collectParameters(
  input: HelmInput,
  helm: HelmSource,
  variables: Readonly<Record<string, string>>,
): Promise<Collected> {
  const all = (helm.fileParameters ?? []).map(async ({ name = '', path = '' }): Promise<Collected> => {
    const { words, files, problems } = await collect(input, [path], { variables, field: 'helm.fileParameters' })
    return { words: words.map((word) => `${name}=${escapeCommas(word)}`), files, problems }
  })
  const each = await Promise.all(all)
  return {
    words: each.flatMap(({ words }) => words),
    files: each.flatMap(({ files }) => files),
    problems: each.flatMap(({ problems }) => problems),
  }
}

interface Work {
  readonly chart: ChartFiles
  readonly files: readonly PlacedFile[]
  readonly given: string | undefined
  readonly words: readonly string[]
}

async function template(input: HelmInput, { chart, files, given, words }: Work): Promise<Content> {
  const { tools, path } = input
  const copies: WorkspaceFile[] = await readAll(chart.files.values(), ownPlace)
  for (const file of files) copies.push({ path: file.place, bytes: await file.read() })
  if (given !== undefined) copies.push({ path: givenPlace, bytes: Buffer.from(given) })
  const build = chart.lacksDependencies ? [['dependency', 'build', '.']] : []
  const directory = chartPlace(input)
  try {
    const output = await tools.helm({ files: copies, directory, commands: [...build, words] })
    const content = readOutput(output, (document) => sourceOf(document, chart.name))
    const lookups = await findLookups(chart.files.values(), path)
    return lookups.length === 0 ? content : { ...content, warnings: lookups }
  } catch (error) {
    if (!(error instanceof ToolFault) || error.reason !== 'refused') throw error
    return { objects: [], problems: [templateProblem(error.message, chart.name)] }
  }
}

/** helm writes which template made a document, below the chart's name. */
function sourceOf(document: string, chart: string): string {
  const source = /^# Source: (.+)$/m.exec(document)?.[1]?.trim() ?? 'Chart.yaml'
  return source.startsWith(`${chart}/`) ? source.slice(chart.length + 1) : source
}

/** `… at (shop/templates/web.yaml:12:24): …` said with its file and place. */
function templateProblem(message: string, chart: string): RenderProblem {
  const text = message.replace(/^Error: /, '')
  const at = /\(?([\w.-]+\/(?:[^\s():]+\/)*templates\/[^\s():]+)(?::(\d+))?(?::(\d+))?\)?/.exec(text)
  const [, file, line, column] = at ?? []
  if (file === undefined) return { file: 'Chart.yaml', message: `helm template: ${text}` }
  const relative = file.startsWith(`${chart}/`) ? file.slice(chart.length + 1) : file
  const place = line === undefined ? {} : { line: Number(line), column: Number(column ?? 1) }
  return { file: relative, ...place, message: `helm template: ${text}` }
}
