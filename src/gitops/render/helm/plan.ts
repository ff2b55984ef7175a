// A Helm chart: finds its files and values, and has `helm template` render it with what the Application says. Helm's hooks
// are not run by helm: they come out as objects, and the sync runs them.

import type { ClusterView, Tools, WorkspaceFile } from '#gitops/tools'
import type { ApplicationSource, HelmSource } from '#kinds'
import { buildEnvironment, type Environment, substitute } from '../build-environment.ts'
import type { RenderProblem } from '../directory.ts'
import { type LookupUse, planLooking } from '../looking.ts'
import { findLookupUse } from '../lookup-use.ts'
import { faulty, type Plan, planKey, readAll } from '../plan.ts'
import type { TreeFile } from '../tree.ts'
import { type ChartFiles, findChartFiles } from './chart-files.ts'
import { readLooking, type Template, template } from './template.ts'
import { apiVersionsOf, escapeCommas, givenValues, kubeVersionOf, templateArguments } from './template-arguments.ts'
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
  const work = { chart, files, given, words }
  const key = planKey([...chart.files.values(), ...files.values()], 'helm', path, words, given)
  const { lookups } = input.environment
  const use = lookups === 'none' ? undefined : await lookupUseOf(input, work)
  if (lookups === 'none' || use === undefined)
    return { type: 'ready', key, run: async () => template(await templateOf(input, work)) }
  const told = {
    kubeVersion: kubeVersionOf(helm, input.environment),
    apiVersions: apiVersionsOf(helm, input.environment),
  }
  const run = async (view: ClusterView) => tools.helmLooking((await templateOf(input, work)).run, view)
  return planLooking({ key, use, told, run, read: (came) => readLooking(came, chart.name) }, lookups)
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

async function templateOf(input: HelmInput, { chart, files, given, words }: Work): Promise<Template> {
  const copies: WorkspaceFile[] = await readAll(chart.files.values(), ownPlace)
  for (const file of files) copies.push({ path: file.place, bytes: await file.read() })
  if (given !== undefined) copies.push({ path: givenPlace, bytes: Buffer.from(given) })
  const build = chart.lacksDependencies ? [['dependency', 'build', '.']] : []
  const run = { files: copies, directory: chartPlace(input), commands: [...build, words] }
  return { tools: input.tools, run, chart: chart.name }
}

/** What is fetched while the chart is rendered may hold anything. */
async function lookupUseOf(
  { path }: HelmInput,
  { chart, files, given = '', words }: Work,
): Promise<LookupUse | undefined> {
  const found = await findLookupUse([...chart.files.values(), ...files], { path, said: [given, ...words] })
  return found ?? (chart.fetches ? { file: '', line: 0 } : undefined)
}
