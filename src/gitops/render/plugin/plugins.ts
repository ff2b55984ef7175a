// The plug-ins that the operator allows: which of them an application's source is for, and what it is asked.

import { RecentMap } from '#gitops/source'
import { ToolFault, type Tools } from '#gitops/tools'
import type { ApplicationSource } from '#kinds'
import { buildEnvironment, type Environment } from '../build-environment.ts'
import type { RenderProblem } from '../directory.ts'
import { type Content, faulty, type Plan, planKey, readAll } from '../plan.ts'
import { readOutput } from '../tool-output.ts'
import type { TreeFile } from '../tree.ts'
import { announcements, type Discovery, type ParameterAnnouncement, type Plugin, type Words } from './definition.ts'
import { filesFor, finds, type Place } from './files.ts'
import { pluginVariables, VariableFault } from './variables.ts'

export interface PluginInput extends Place {
  readonly source: ApplicationSource
  readonly environment: Environment
  /** Changes when everything is to be asked anew. */
  readonly renewal: number
}

const keptDiscoveries = 20_000

export class Plugins {
  readonly #plugins: readonly Plugin[]
  readonly #tools: Tools | undefined
  readonly #discovered = new RecentMap<boolean>(keptDiscoveries)

  constructor(plugins: readonly Plugin[], tools: Tools | undefined) {
    this.#plugins = plugins
    this.#tools = tools
  }

  /** What a source is may depend on a plug-in's discovery. */
  get discover(): boolean {
    return this.#plugins.some(({ discovery }) => discovery !== undefined)
  }

  /** The plug-in for a source. Undefined: it names none, and none finds its files. */
  async choose(input: PluginInput): Promise<Plugin | RenderProblem | undefined> {
    const { plugin: block } = input.source
    const { name = '' } = block ?? {}
    if (name !== '') return this.#named(name, input)
    for (const plugin of this.#plugins) {
      const found = await this.#supports(plugin, input)
      if (typeof found === 'object') return found
      if (found) return plugin
    }
    return block === undefined
      ? undefined
      : { message: `spec.source.plugin names no plug-in, and none finds its files here; ${this.#allowed()}` }
  }

  async #named(name: string, input: PluginInput): Promise<Plugin | RenderProblem> {
    const plugin = this.#plugins.find((each) => each.name === name)
    if (plugin === undefined)
      return { message: `spec.source.plugin.name: there is no plug-in ${JSON.stringify(name)}; ${this.#allowed()}` }
    const found = plugin.discovery === undefined || (await this.#supports(plugin, input))
    if (typeof found === 'object') return found
    return found ? plugin : { message: `plug-in ${name}: this is no source for it: ${notFound(plugin.discovery)}` }
  }

  #allowed(): string {
    if (this.#plugins.length === 0)
      return 'none is allowed: name those that may run in a file, and start with --plugins FILE'
    return `those of --plugins are ${this.#plugins.map(({ name }) => name).join(', ')}`
  }

  async #supports(plugin: Plugin, input: PluginInput): Promise<boolean | RenderProblem> {
    const { discovery } = plugin
    if (discovery === undefined) return false
    if (discovery.type === 'pattern') return finds(input, discovery)
    const run = await this.#prepare(plugin, input, [discovery.words])
    if ('problems' in run) return run.problems[0] ?? false
    const known = this.#discovered.get(run.key)
    if (known !== undefined) return known
    const found = await run.output().then(
      (output) => output.trim() !== '',
      (error) => notMine(plugin, error),
    )
    if (typeof found === 'boolean') this.#discovered.set(run.key, found)
    return found
  }

  async plan(plugin: Plugin, input: PluginInput): Promise<Plan> {
    const commands = [...(plugin.init === undefined ? [] : [plugin.init]), plugin.generate]
    const run = await this.#prepare(plugin, input, commands)
    if ('problems' in run) return faulty(...run.problems)
    const file = fileOf(plugin)
    return {
      type: 'ready',
      key: run.key,
      async run(): Promise<Content> {
        try {
          const content = readOutput(await run.output(), () => file)
          const isNothing = content.objects.length + content.problems.length === 0
          return isNothing ? { ...content, warnings: [{ file, message: 'it printed no manifests' }] } : content
        } catch (error) {
          if (!(error instanceof ToolFault)) throw error
          if (error.reason === 'refused') return { objects: [], problems: [{ file, message: error.message }] }
          throw new ToolFault(error.reason, `${file}: ${error.message}`)
        }
      },
    }
  }

  /** What can be set in an Application for a plug-in. Throws ToolFault. */
  async announce(plugin: Plugin, input: PluginInput): Promise<readonly ParameterAnnouncement[]> {
    if (plugin.announce === undefined) return plugin.announced
    const run = await this.#prepare(plugin, input, [plugin.announce])
    if ('problems' in run) throw new ToolFault('refused', run.problems.map(({ message }) => message).join('; '))
    const printed = announcements.safeParse(parseJson(await run.output()))
    if (!printed.success)
      throw new ToolFault(
        'refused',
        `${fileOf(plugin)}: spec.parameters.dynamic: what it prints is no JSON list of announcements`,
      )
    // What is the same for all sources comes last, and so wins.
    return [...printed.data, ...plugin.announced]
  }

  async #prepare(plugin: Plugin, input: PluginInput, commands: readonly Words[]): Promise<Prepared> {
    const { files, problems } = await filesFor(input)
    if (problems.length > 0) return { problems }
    const tools = this.#tools
    if (tools === undefined) return { problems: [{ message: `${fileOf(plugin)}: nothing can be run here` }] }
    try {
      const { tree, path, source, environment, renewal } = input
      const variables = pluginVariables(buildEnvironment(environment, source, tree.revision), source.plugin)
      const modes = plugin.preserveFileMode ? files.filter((file) => file.executable).map((file) => file.path) : []
      return {
        key: planKey(files, 'plugin', plugin.name, path, commands, keyed(variables, commands), modes, renewal),
        output: async () =>
          tools.commands({ files: await copied(files, plugin), directory: path, commands, variables }),
      }
    } catch (error) {
      if (error instanceof VariableFault) return { problems: [{ message: `spec.source.${error.message}` }] }
      throw error
    }
  }
}

type Prepared =
  | { readonly problems: readonly RenderProblem[] }
  | {
      /** Equal keys give equal outputs. */
      readonly key: string
      /** Throws ToolFault. */
      output(): Promise<string>
    }

/** What stands in the place of a file where a manifest or a fault came from. */
const fileOf = ({ name }: Plugin): string => `plug-in ${name}`

const notFound = (discovery: Discovery | undefined): string =>
  discovery?.type === 'pattern'
    ? `spec.${discovery.field} ${discovery.pattern} finds nothing`
    : 'spec.discover.find says so'

/** A command that ends badly says no. One that did not come to an end says nothing: files must not become another kind of source. */
function notMine(plugin: Plugin, error: unknown): false | RenderProblem {
  if (!(error instanceof ToolFault)) throw error
  return error.reason === 'refused' ? false : { message: `${fileOf(plugin)}: spec.discover.find: ${error.message}` }
}

/** The commit is another one all the time; it only counts for commands that ask for it. */
function keyed(
  variables: Readonly<Record<string, string>>,
  commands: readonly Words[],
): Readonly<Record<string, string>> {
  if (commands.flat().some((word) => word.includes(commitVariable))) return variables
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !name.startsWith(commitVariable)))
}
const commitVariable = 'ARGOCD_APP_REVISION'

async function copied(files: readonly TreeFile[], { preserveFileMode }: Plugin) {
  const copies = await readAll(files)
  if (!preserveFileMode) return copies
  return copies.map((copy, index) => ({ ...copy, executable: files[index]?.executable === true }))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
