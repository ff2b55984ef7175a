// A Helm chart: finds its files and values, and has `helm template` render it with what the Application says. Helm's hooks
// are not run by helm: they come out as objects, and the sync runs them.

import type { ClusterView, Tools, WorkspaceFile } from '#gitops/tools'
import type { ApplicationSource } from '#kinds'
import { buildEnvironment, type Environment } from '../build-environment.ts'
import { type LookupUse, planLooking } from '../looking.ts'
import { findLookupUse } from '../lookup-use.ts'
import { faulty, type Plan, planKey, readAll } from '../plan.ts'
import { type ChartFiles, findChartFiles } from './chart-files.ts'
import { chartPlace, fromChart, givenFileParameters, givenValueFiles, type PlacedFile } from './given-files.ts'
import { readLooking, type Template, template } from './template.ts'
import { apiVersionsOf, givenValues, kubeVersionOf, templateArguments } from './template-arguments.ts'
import { ownPlace, type Trees } from './value-files.ts'

export interface HelmInput extends Trees {
  readonly tools: Tools
  readonly source: ApplicationSource
  readonly environment: Environment
}

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
  const values = await givenValueFiles(input, helm, variables)
  const parameters = await givenFileParameters(input, helm, variables)
  const problems = [...values.problems, ...parameters.problems]
  if (problems.length > 0) return faulty(...problems)
  const given = givenValues(helm)
  const words = templateArguments({
    helm,
    environment: input.environment,
    variables,
    values: [...values.words, ...(given === undefined ? [] : [fromChart(path, givenPlace)])],
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

interface Work {
  readonly chart: ChartFiles
  readonly files: readonly PlacedFile[]
  readonly given: string | undefined
  readonly words: readonly string[]
}

async function templateOf(input: HelmInput, { chart, files, given, words }: Work): Promise<Template> {
  const copies: WorkspaceFile[] = await readAll([...chart.files.values(), ...files], ownPlace)
  if (given !== undefined) copies.push({ path: givenPlace, bytes: Buffer.from(given) })
  const build = chart.lacksDependencies ? [['dependency', 'build', '.']] : []
  const run = { files: copies, directory: chartPlace(input.path), commands: [...build, words] }
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
