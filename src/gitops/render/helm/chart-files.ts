// The files of a chart: its folder, and the folders of charts in the repository that it depends on (`file://`). Says too
// whether dependencies must be put into `charts/` first, and where templates look things up in a cluster.

import { isJsonMap, type Json, type JsonObject } from '#objects'
import type { RenderProblem } from '../directory.ts'
import { baseName, join, resolveReference, type Tree, type TreeFile } from '../tree.ts'
import { readYamlMap } from '../yaml-map.ts'

export interface ChartFiles {
  readonly files: ReadonlyMap<string, TreeFile>
  readonly name: string
  /** Some dependency is not in `charts/`. */
  readonly lacksDependencies: boolean
  readonly problems: readonly RenderProblem[]
}

interface Walk {
  readonly tree: Tree
  readonly network: boolean
  readonly files: Map<string, TreeFile>
  readonly visited: Set<string>
  readonly problems: RenderProblem[]
  lacksDependencies: boolean
}

export async function findChartFiles(tree: Tree, path: string, network: boolean): Promise<ChartFiles> {
  const walk: Walk = { tree, network, files: new Map(), visited: new Set(), problems: [], lacksDependencies: false }
  const chart = await visit(walk, path)
  const { files, lacksDependencies, problems } = walk
  return { files, name: typeof chart?.['name'] === 'string' ? chart['name'] : '', lacksDependencies, problems }
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
  } else if (!walk.network) {
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

/** Templates that ask the cluster: `helm template` finds nothing there, as in Argo CD. */
export async function findLookups(files: Iterable<TreeFile>, path: string): Promise<readonly RenderProblem[]> {
  const found: RenderProblem[] = []
  for (const file of files) {
    const relative = path === '' ? file.path : file.path.slice(path.length + 1)
    if (!/(^|\/)templates\//.test(relative)) continue
    const lines = Buffer.from(await file.read())
      .toString('utf8')
      .split('\n')
    const index = lines.findIndex((line) => /\{\{[^}]*[({\s]lookup\s+["$.(]/.test(line))
    if (index < 0) continue
    found.push({
      file: relative,
      line: index + 1,
      column: 1,
      message: 'the template uses lookup, which finds nothing when it is rendered for a sync',
    })
  }
  return found
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
