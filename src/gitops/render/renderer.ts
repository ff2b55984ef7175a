// From a path of a snapshot to the objects that it describes. Depends on nothing but the contents of the files read and what
// the application says, so results are kept by these: a commit that leaves a directory alone, or a second application of the
// same directory, costs one look-up and gets the same object references.

import { type Listing, messageOf, type Snapshot, SourceError } from '#gitops/source'
import { ToolFault, type Tools } from '#gitops/tools'
import type { ApplicationSource } from '#kinds'
import { Gate } from '#reconcile'
import type { World } from '#world'
import { buildEnvironment, type Environment } from './build-environment.ts'
import { problemText } from './directory.ts'
import { planHelm } from './helm/plan.ts'
import { type ChartSettings, chartSettings } from './helm/settings.ts'
import type { Trees } from './helm/value-files.ts'
import { jsonnetOptions } from './jsonnet/options.ts'
import { planKustomize } from './kustomize/plan.ts'
import { newKeptFiles, planDirectory } from './manifests.ts'
import { withParameterOverrides } from './parameter-overrides.ts'
import { type Content, faulty, type Plan } from './plan.ts'
import type { ParameterAnnouncement, Plugin } from './plugin/definition.ts'
import { type PluginInput, Plugins } from './plugin/plugins.ts'
import { QuickResults, Results } from './results.ts'
import { discoverType, explicitType, type SourceType } from './source-type.ts'
import { resolveReference, Tree } from './tree.ts'

export interface RenderRequest {
  readonly snapshot: Snapshot
  readonly path: string
  readonly source: ApplicationSource
  /** The application and the cluster that it is rendered for. */
  readonly environment: Environment
  /** Sources that values files may be in, by their `ref`. */
  readonly references?: ReadonlyMap<string, Snapshot>
  /** Argo CD's `kustomize.buildOptions`. */
  readonly buildOptions?: string
  /** Whoever the files are from may have them run: a plug-in may do so. Default true. */
  readonly trusted?: boolean
}

export interface Rendered extends Content {
  /** The commit, or what stands for one. */
  readonly revision: string
  readonly sourceType: SourceType
}

/** What can be set of a source in an Application. */
export interface SourceSettings {
  readonly sourceType: SourceType
  readonly chart?: ChartSettings
  /** Of a plug-in. */
  readonly announced?: readonly ParameterAnnouncement[]
}

export interface Renderer {
  /** Throws SourceError when the path cannot be listed at all. */
  render(request: RenderRequest): Promise<Rendered>
  /** Throws SourceError, and ToolFault for what cannot be rendered at all. */
  settings(request: RenderRequest): Promise<SourceSettings>
  /** What plug-ins said for an application is forgotten. */
  renew(app: string): void
}

export interface RendererOptions {
  readonly world: World
  /** Without it charts and kustomizations are told to be what they are, and not rendered. */
  readonly tools?: Tools
  /** Config management plug-ins that may run; without tools none does. */
  readonly plugins?: readonly Plugin[]
}

export function createRenderer({ world, tools, plugins: allowed = [] }: RendererOptions): Renderer {
  const files = newKeptFiles(world)
  const results = new Results(world)
  const plugins = new Plugins(allowed, tools)
  const renewals = new Map<string, number>()
  const running = new Map<string, Promise<Content>>()
  const quick = new QuickResults()
  const lane = new Gate(1)

  const planOf = async (request: RenderRequest, listing: Listing): Promise<Typed> => {
    const overrides = { ...request, listing, app: request.environment.app.name }
    const source = await withParameterOverrides(request.source, overrides)
    if (!('repoURL' in source)) return { sourceType: discoverType(listing.files), plan: faulty(source) }
    const explicit = explicitType(source)
    if (typeof explicit === 'object') return { sourceType: 'Directory', plan: faulty(explicit) }
    if (explicit === 'Plugin' || (explicit === undefined && plugins.discover)) {
      if (request.trusted === false) return { sourceType: 'Plugin', plan: faulty(untrusted) }
      const input = await pluginInput({ ...request, source }, renewals)
      const plugin = await plugins.choose(input)
      if (plugin !== undefined && 'message' in plugin) return { sourceType: 'Plugin', plan: faulty(plugin) }
      if (plugin !== undefined)
        return {
          sourceType: 'Plugin',
          plan: await plugins.plan(plugin, input),
          settings: async () => ({ announced: await plugins.announce(plugin, input) }),
        }
    }
    const sourceType = explicit ?? discoverType(listing.files)
    if (sourceType === 'Helm' || sourceType === 'Kustomize') {
      const wanted = { ...request, source }
      const typed = { sourceType, plan: await toolPlan(tools, wanted, sourceType) }
      if (sourceType === 'Kustomize') return typed
      return {
        ...typed,
        settings: async () => ({ chart: await chartSettings(await treesOf(wanted), source.helm ?? {}) }),
      }
    }
    const options = directoryOptions(source)
    const whole = options.recurse ? await request.snapshot.list(request.path, { recurse: true }) : listing
    const jsonnet = (revision: string) =>
      jsonnetOptions(source, request.path, () => buildEnvironment(request.environment, source, revision))
    return { sourceType, plan: await planDirectory(files, { ...request, listing: whole, options, jsonnet }) }
  }

  /** What was rendered before, where it still holds. */
  const runOnce = async (plan: Ready): Promise<Content> => {
    const kept = results.get(plan.key)
    if (kept !== undefined && (await (plan.isCurrent?.(kept) ?? true))) return kept
    const current = running.get(plan.key)
    if (current !== undefined) return current
    const work = runPlan(plan, { results, lane }).finally(() => running.delete(plan.key))
    running.set(plan.key, work)
    return work
  }

  return {
    async render(request) {
      const recurse = request.source.directory?.recurse === true
      const listing = await request.snapshot.list(request.path, { recurse })
      // A plug-in may look at more than this listing.
      const known = plugins.discover ? undefined : quick.get(listing, request.source)
      if (known !== undefined) return { revision: listing.revision, sourceType: 'Directory', ...known }
      const { sourceType, plan } = await planOf(request, listing)
      if (plan.type === 'faulty')
        return { revision: listing.revision, sourceType, objects: [], problems: plan.problems }
      const content = await runOnce(plan)
      if (sourceType === 'Directory') quick.set(listing, request.source, content)
      return { revision: listing.revision, sourceType, ...content }
    },
    async settings(request) {
      const { sourceType, plan, settings } = await planOf(
        request,
        await request.snapshot.list(request.path, { recurse: false }),
      )
      if (settings === undefined && plan.type === 'faulty' && sourceType !== 'Directory')
        throw new ToolFault('refused', plan.problems.map((problem) => problemText(problem, request.path)).join('; '))
      return { sourceType, ...(await settings?.()) }
    },
    renew: (app) => void renewals.set(app, (renewals.get(app) ?? 0) + 1),
  }
}

interface Typed {
  readonly sourceType: SourceType
  readonly plan: Plan
  settings?(): Promise<Omit<SourceSettings, 'sourceType'>>
}

type Ready = Extract<Plan, { readonly type: 'ready' }>

interface Running {
  readonly results: Results
  /** What had to be stopped goes one at a time, so that it does not take the place of the others once more. */
  readonly lane: Gate
}

async function runPlan(plan: Ready, { results, lane }: Running): Promise<Content> {
  try {
    const run = (): Promise<Content> => plan.run(results.get(plan.key))
    const content = await (results.wasStopped(plan.key) ? lane.pass(run) : run())
    if (content.isPassing === true) results.keepForNow(plan.key, content)
    else results.keep(plan.key, content)
    return content
  } catch (error) {
    if (error instanceof ToolFault) {
      const content = { objects: [], problems: [{ message: error.message }] }
      // What was refused is refused again.
      if (error.reason === 'refused') results.keep(plan.key, content)
      else results.keepForNow(plan.key, content)
      return content
    }
    if (error instanceof SourceError || error instanceof RangeError)
      return { objects: [], problems: [{ message: messageOf(error) }] }
    throw error
  }
}

const directoryOptions = ({ directory }: ApplicationSource) => ({
  recurse: directory?.recurse === true,
  include: directory?.include ?? '',
  exclude: directory?.exclude ?? '',
})

async function treesOf(request: RenderRequest): Promise<Trees> {
  const references = new Map([...(request.references ?? [])].map(([name, snapshot]) => [name, new Tree(snapshot)]))
  return { ...(await treeAt(request)), references }
}

const untrusted = {
  message: 'plug-ins are only run on files of somebody who may override what is synced (applications, override)',
}

/** The source's place, with its own folder read: what the tree says of its commit is known then. */
async function treeAt({
  snapshot,
  path: given,
}: RenderRequest): Promise<{ readonly tree: Tree; readonly path: string }> {
  const tree = new Tree(snapshot)
  const path = resolveReference('', given) ?? ''
  await tree.folder(path)
  return { tree, path }
}

async function pluginInput(request: RenderRequest, renewals: ReadonlyMap<string, number>): Promise<PluginInput> {
  const { source, environment } = request
  const { name, generatePaths } = environment.app
  return { ...(await treeAt(request)), source, environment, generatePaths, renewal: renewals.get(name) ?? 0 }
}

async function toolPlan(tools: Tools | undefined, request: RenderRequest, type: 'Helm' | 'Kustomize'): Promise<Plan> {
  if (tools === undefined)
    return faulty({
      message: `the path is a ${type} source, and there is no tool to render it here (set spec.source.directory to read its files as plain manifests)`,
    })
  const { source, environment, buildOptions = '' } = request
  const trees = await treesOf(request)
  return type === 'Kustomize'
    ? planKustomize({ tools, ...trees, source, environment, buildOptions })
    : planHelm({ tools, ...trees, source, environment })
}
