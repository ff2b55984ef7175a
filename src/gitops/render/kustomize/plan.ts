// A kustomization: finds what it reads, writes the Application's overrides into it, and has kustomize build it.

import { ToolFault, type ToolRun, type Tools } from '#gitops/tools'
import type { ApplicationSource, KustomizeSource } from '#kinds'
import type { Json, JsonObject } from '#objects'
import { buildEnvironment, type Environment } from '../build-environment.ts'
import type { RenderProblem } from '../directory.ts'
import { type LookingTool, planLooking } from '../looking.ts'
import { findLookupUse } from '../lookup-use.ts'
import { type Content, faulty, type Plan, planKey, readAll } from '../plan.ts'
import { readOutput } from '../tool-output.ts'
import { resolveReference, type Tree, type TreeFile } from '../tree.ts'
import { decodeText } from '../yaml-stream.ts'
import { parseYamlDocument } from '../yaml-value.ts'
import { findBrokenFiles } from './broken-files.ts'
import { type BuildOptions, parseBuildOptions } from './build-options.ts'
import { hasOverrides, OverrideFault, withOverrides } from './overrides.ts'
import { findReferences, kustomizationNames } from './references.ts'
import { saidByKustomize } from './said.ts'

export interface KustomizeInput {
  readonly tools: Tools
  readonly tree: Tree
  /** From the root of the tree; empty for the root. */
  readonly path: string
  readonly source: ApplicationSource
  readonly environment: Environment
  /** `kustomize.buildOptions` of the settings. */
  readonly buildOptions: string
}

export async function planKustomize(input: KustomizeInput): Promise<Plan> {
  const { tools, tree, path, source } = input
  const overrides = source.kustomize ?? {}
  const file = await kustomizationOf(tree, path)
  if (file === undefined)
    return faulty({
      message: `no kustomization.yaml, kustomization.yml or Kustomization is in ${path === '' ? '.' : path}`,
    })
  const options = parseBuildOptions(input.buildOptions)
  if (options.refused.length > 0)
    return faulty({ message: `kustomize.buildOptions of argocd-cm: ${options.refused.join(' ')} is not supported` })
  const components = await componentsOf(input, overrides)
  const patchFiles = (overrides.patches ?? []).flatMap((patch) => patch.path ?? [])
  const found = await findReferences(tree, path, { network: tools.network, more: [...components, ...patchFiles] })
  if (found.problems.length > 0) return faulty(...found.problems)
  const withHelm = found.usesHelm && options.enableHelm
  const told = withHelm ? toldOf(overrides, input.environment) : undefined
  // Only where it is asked for: a commit that leaves the files alone must not make another result.
  const environment = JSON.stringify(overrides).includes('$')
    ? buildEnvironment(input.environment, source, tree.revision)
    : {}
  const key = planKey(found.files.values(), 'kustomize', path, overrides, environment, options, components, told)
  const work = { file, files: found.files, components, environment, options, told }
  const { lookups } = input.environment
  const use = told === undefined ? undefined : await findLookupUse(found.files.values(), { path, said: [] })
  if (lookups === 'none' || told === undefined || use === undefined)
    return { type: 'ready', key, run: () => build(input, work) }
  return planLooking({ key, use, told, ...lookingBuild(input, work) }, lookups)
}

async function kustomizationOf(tree: Tree, path: string): Promise<TreeFile | undefined> {
  const entries = await tree.folder(path)
  for (const name of kustomizationNames) {
    const file = entries?.get(name)
    if (file !== undefined) return file
  }
  return undefined
}

/** The Application's components; those that are not there are left out if it says so, and refused by kustomize if not. */
async function componentsOf({ tree, path }: KustomizeInput, overrides: KustomizeSource): Promise<readonly string[]> {
  const { components = [], ignoreMissingComponents } = overrides
  if (ignoreMissingComponents !== true) return components
  const there: string[] = []
  for (const component of components) {
    const folder = resolveReference(path, component)
    if (folder !== undefined && (await tree.folder(folder)) !== undefined) there.push(component)
  }
  return there
}

/** What charts of the kustomization are told about the cluster. */
const toldOf = (overrides: KustomizeSource, { capabilities }: Environment) => ({
  kubeVersion: overrides.kubeVersion ?? capabilities.kubeVersion,
  apiVersions: overrides.apiVersions ?? capabilities.apiVersions,
})

interface Build {
  readonly file: TreeFile
  readonly files: ReadonlyMap<string, TreeFile>
  readonly components: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly options: BuildOptions
  /** Undefined: no chart is inflated. */
  readonly told: ReturnType<typeof toldOf> | undefined
}

async function build(input: KustomizeInput, work: Build): Promise<Content> {
  const relative = fileIn(input, work)
  try {
    const run = await toolRun(input, work)
    return readOutput(await input.tools.kustomize(run, { withHelm: work.told !== undefined }), () => relative)
  } catch (error) {
    if (!(error instanceof ToolFault) || error.reason !== 'refused') throw error
    return faultContent(relative, error, await findBrokenFiles(work.files.values(), input.path))
  }
}

/** As `build`, where charts may look something up. */
const lookingBuild = (input: KustomizeInput, work: Build): Pick<LookingTool, 'run' | 'read'> => ({
  async run(view) {
    try {
      return await input.tools.kustomizeLooking(await toolRun(input, work), view)
    } catch (error) {
      if (error instanceof OverrideFault) return { type: 'refused', fault: error, used: [] }
      throw error
    }
  },
  async read(came) {
    const relative = fileIn(input, work)
    if (came.type === 'written') return readOutput(came.output, () => relative)
    return faultContent(relative, came.fault, await findBrokenFiles(work.files.values(), input.path))
  },
})

/** The kustomization, relative to the path of the source. */
const fileIn = ({ path }: KustomizeInput, { file }: Build): string =>
  path === '' ? file.path : file.path.slice(path.length + 1)

function faultContent(file: string, fault: ToolFault, broken: readonly RenderProblem[]): Content {
  const isOverride = fault instanceof OverrideFault
  const message = isOverride ? fault.message : `kustomize build: ${saidByKustomize(fault.message)}`
  return { objects: [], problems: [{ file, message }, ...broken] }
}

/** With the Application's overrides in the kustomization. Throws OverrideFault. */
async function toolRun(
  { path, source }: KustomizeInput,
  { file, files, components, environment, options, told }: Build,
): Promise<ToolRun> {
  const copies = await readAll(files.values())
  const overrides = source.kustomize ?? {}
  if (hasOverrides(overrides)) {
    const kustomization = withOverrides(await readKustomization(file), { overrides, components, environment })
    const index = copies.findIndex((copy) => copy.path === file.path)
    copies[index] = { path: file.path, bytes: Buffer.from(JSON.stringify(kustomization, null, 2)) }
  }
  const helmArguments =
    told === undefined
      ? []
      : [`--helm-kube-version=${told.kubeVersion}`, ...told.apiVersions.map((each) => `--helm-api-versions=${each}`)]
  return { files: copies, directory: path, commands: [['.', ...helmArguments, ...options.arguments]] }
}

async function readKustomization(file: TreeFile): Promise<JsonObject> {
  const value: Json = parseYamlDocument(decodeText(await file.read()))
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw new OverrideFault(
    'the kustomization is no map, so that the overrides of the Application cannot be written into it',
  )
}
