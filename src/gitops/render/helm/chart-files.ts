// The files of a chart: its folder, and the folders of charts in the repository that it depends on (`file://`). Says too
// whether dependencies must be put into `charts/` first.

import { isJsonMap, type Json, type JsonObject } from '#objects'
import type { RenderProblem } from '../directory.ts'
import { baseName, join, resolveReference, type Tree, type TreeFile } from '../tree.ts'
import { readYamlMap } from '../yaml-map.ts'

export interface ChartFiles {
  readonly files: ReadonlyMap<string, TreeFile>
  readonly name: string
  /** Some dependency is not in `charts/`. */
  readonly lacksDependencies: boolean
  /** Some dependency is fetched when the chart is rendered. */
  readonly fetches: boolean
  readonly problems: readonly RenderProblem[]
}

interface Walk {
  readonly tree: Tree
  readonly network: boolean
  readonly files: Map<string, TreeFile>
  readonly visited: Set<string>
  readonly problems: RenderProblem[]
  lacksDependencies: boolean
  fetches: boolean
}

export async function findChartFiles(tree: Tree, path: string, network: boolean): Promise<ChartFiles> {
  const none = { lacksDependencies: false, fetches: false }
  const walk: Walk = { tree, network, files: new Map(), visited: new Set(), problems: [], ...none }
  const chart = await visit(walk, path)
  const { files, lacksDependencies, fetches, problems } = walk
  return { files, name: typeof chart?.['name'] === 'string' ? chart['name'] : '', lacksDependencies, fetches, problems }
}

async function visit(walk: Walk, path: string): Promise<JsonObject | undefined> {
  if (walk.visited.has(path)) return undefined
  walk.visited.add(path)
  const files = await walk.tree.below(path)
  for (const file of files ?? []) {
    if (file.problem === undefined) walk.files.set(file.path, file)
    else walk.problems.push({ file: file.path, message: file.problem })
  }
  const chart = await readYamlMap(walk.files.get(join(path, 'Chart.yaml')))
  const requirements = await readYamlMap(walk.files.get(join(path, 'requirements.yaml')))
  for (const dependency of [...listOf(chart?.['dependencies']), ...listOf(requirements?.['dependencies'])])
    if (isJsonMap(dependency)) await takeDependency(walk, path, dependency)
  return chart
}

async function takeDependency(walk: Walk, path: string, dependency: JsonObject): Promise<void> {
  const name = String(dependency['name'] ?? '')
  if (isVendored(walk, path, name)) return
  walk.lacksDependencies = true
  const repository = String(dependency['repository'] ?? '')
  if (repository.startsWith('file://')) {
    const folder = resolveReference(path, repository.slice('file://'.length))
    if (folder === undefined)
      walk.problems.push({
        file: 'Chart.yaml',
        message: `dependency ${name}: ${repository} leads out of the repository`,
      })
    else await visit(walk, folder)
  } else if (walk.network) {
    walk.fetches = true
  } else {
    walk.problems.push({
      file: 'Chart.yaml',
      message: `dependency ${name} is not in charts/ and would have to be fetched from ${repository === '' ? 'somewhere' : repository}: run "helm dependency build" and commit charts/, or start with --render-network`,
    })
  }
}

function isVendored({ files }: Walk, path: string, name: string): boolean {
  const charts = join(path, 'charts')
  if (files.has(`${charts}/${name}/Chart.yaml`)) return true
  const archive = new RegExp(`^${name.replace(/[^\w-]/g, '\\$&')}-v?\\d.*\\.(tgz|tar\\.gz)$`)
  for (const file of files.keys()) {
    if (file.startsWith(`${charts}/`) && archive.test(baseName(file))) return true
  }
  return false
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
