// Runs kustomize, helm and the commands of plug-ins over files that are handed in: in a private folder with an empty home,
// without a network unless it is allowed, with bounds of time, output and memory, and a few at a time. Answers what the tool
// wrote to stdout.

import { delimiter, dirname, join } from 'node:path'
import { Gate } from '#reconcile'
import type { World } from '#world'
import { type Limits, runChild } from './child.ts'
import { environmentOf, withoutNowhere } from './environment.ts'
import { addHelm, lookingWords } from './helm-for-kustomize.ts'
import { type Located, type LocateOptions, locateTool, type ToolName } from './locate.ts'
import { type LookingRun, runLooking } from './looking-run.ts'
import type { ClusterView } from './lookup.ts'
import { absoluteFolders, findProgram } from './program.ts'
import { type ChartRequest, preparePull, takeChart } from './pull.ts'
import { ToolFault } from './tool-fault.ts'
import { inWorkspace, type Workspace, type WorkspaceFile } from './workspace.ts'
import { readWritten } from './written-files.ts'

export interface ToolsOptions extends LocateOptions {
  readonly world: World
  /** Tools may load remote bases and charts. */
  readonly network?: boolean
  readonly limits?: Partial<Limits>
  /** Runs at the same time; default 2. */
  readonly parallel?: number
}

export interface ToolRun {
  readonly files: readonly WorkspaceFile[]
  /** Where to run, relative to the files; empty for their root. */
  readonly directory: string
  /** Run one after another, in `directory`; the last one's output counts. */
  readonly commands: readonly (readonly string[])[]
}

/** Commands that whoever started the process has named; the first word of each is the program. */
export interface CommandRun extends ToolRun {
  /** What they find in their environment beside PATH and an empty home. */
  readonly variables: Readonly<Record<string, string>>
}

/** Empty: it is not here (yet). */
export type ToolVersions = Readonly<Record<ToolName | 'kustomize', string>>

export interface Tools {
  readonly network: boolean
  /** Nothing is fetched to answer. */
  versions(): Promise<ToolVersions>
  /** `kustomize build` (kubectl's), with helm at hand for charts when `withHelm`. Throws ToolFault. */
  kustomize(run: ToolRun, options: { readonly withHelm: boolean }): Promise<string>
  /** Throws ToolFault. */
  helm(run: ToolRun): Promise<string>
  /** As the two above, with charts whose lookups are answered by `view`, and by nothing else. Throw ToolFault. */
  kustomizeLooking(run: ToolRun, view: ClusterView): Promise<LookingRun>
  helmLooking(run: ToolRun, view: ClusterView): Promise<LookingRun>
  /** Programs are found on the user's PATH. Throws ToolFault, which names the command that failed. */
  commands(run: CommandRun): Promise<string>
  /** Fetches a chart. What a source names is fetched whether or not rendering may use the network. Throws ToolFault. */
  pull(request: ChartRequest): Promise<void>
}

const defaultLimits: Limits = { timeoutMs: 90_000, outputBytes: 100 * 1024 * 1024, memoryBytes: 4 * 1024 ** 3 }

export function createTools(options: ToolsOptions): Tools {
  const { world, network = false } = options
  const limits = { ...defaultLimits, ...options.limits }
  const located = new Map<ToolName, Promise<Located>>()
  const gate = new Gate(options.parallel ?? 2)

  const locate = async (name: ToolName): Promise<Located> => {
    const looking = located.get(name) ?? locateTool(name, options)
    located.set(name, looking)
    try {
      return await looking
    } catch (error) {
      // What is missing now may be installed later.
      located.delete(name)
      throw error
    }
  }

  const runTool = (call: Call): Promise<string> => {
    const { tool, workspace, words, directory = '', allowsNetwork = network, variables = {} } = call
    const request = {
      command: tool.path,
      arguments: words,
      directory: join(workspace.files, directory),
      environment: { ...environmentOf(workspace, options.environment, allowsNetwork), ...variables },
      limits,
      input: call.input,
    }
    return runChild(request).catch((error: unknown) => {
      throw relativeFault(error, workspace)
    })
  }

  const execute = (run: ToolRun, tool: Located, prepare: (workspace: Workspace) => Promise<readonly string[]>) =>
    gate.pass(() =>
      inWorkspace(run.files, async (workspace) => {
        const first = await prepare(workspace)
        const { directory } = run
        return lastOf(run.commands, (words) => runTool({ tool, workspace, words: [...first, ...words], directory }))
      }),
    )

  /** What a plug-in is made of is on PATH, with or without a network. */
  const PATH = absoluteFolders(options.environment['PATH']).join(delimiter)

  const runCommand = async (run: CommandRun, workspace: Workspace, command: readonly string[]): Promise<string> => {
    const [program = '', ...words] = command
    const path = findProgram(program, PATH)
    if (path === undefined)
      throw new ToolFault('missing', `${program} is neither on PATH nor the whole path of a program`)
    const { directory, variables } = run
    try {
      return await runTool({
        tool: { path },
        workspace,
        words,
        directory,
        variables: { ...variables, PATH, TMPDIR: workspace.home },
      })
    } catch (error) {
      if (!(error instanceof ToolFault)) throw error
      throw new ToolFault(error.reason, `\`${shown(command)}\`: ${error.message}`)
    }
  }

  const here = (name: ToolName): Promise<Located | undefined> =>
    (located.get(name) ?? locateTool(name, { ...options, offline: true })).catch(() => undefined)

  return {
    network,
    versions: () =>
      world.clock.outside('tool versions', async () => {
        const [kubectl, helm] = await Promise.all([here('kubectl'), here('helm')])
        return { kubectl: kubectl?.version ?? '', kustomize: kubectl?.kustomize ?? '', helm: helm?.version ?? '' }
      }),
    commands: (run) =>
      world.clock.outside('plug-in', () =>
        gate.pass(() =>
          inWorkspace(run.files, (workspace) => lastOf(run.commands, (command) => runCommand(run, workspace, command))),
        ),
      ),
    kustomize: (run, { withHelm }) =>
      world.clock.outside('kustomize', async () => {
        const tool = await locate('kubectl')
        const helm = withHelm ? await locate('helm') : undefined
        return execute(run, tool, async (workspace) =>
          helm === undefined
            ? ['kustomize']
            : ['kustomize', '--enable-helm', '--helm-command', await addHelm(workspace, helm.path, false)],
        )
      }),
    kustomizeLooking: ({ files, directory, commands }, view) =>
      world.clock.outside('kustomize', async () => {
        const [tool, helm] = [await locate('kubectl'), await locate('helm')]
        return gate.pass(() =>
          inWorkspace(files, async (workspace) => {
            const first = ['kustomize', '--enable-helm', '--helm-command', await addHelm(workspace, helm.path, true)]
            return runLooking(view, workspace, (variables) =>
              lastOf(commands, (words) =>
                runTool({ tool, workspace, words: [...first, ...words], directory, variables }),
              ),
            )
          }),
        )
      }),
    helm: (run) => world.clock.outside('helm', async () => execute(run, await locate('helm'), async () => [])),
    helmLooking: ({ files, directory, commands }, view) =>
      world.clock.outside('helm', async () => {
        const tool = await locate('helm')
        return gate.pass(() =>
          inWorkspace(files, (workspace) =>
            runLooking(view, workspace, async (variables) => {
              const folder = join(workspace.home, 'written')
              await lastOf(commands, (words) => {
                const more = words[0] === 'template' ? lookingWords(folder) : []
                return runTool({ tool, workspace, words: [...words, ...more], directory, variables })
              })
              return readWritten(folder, limits.outputBytes)
            }),
          ),
        )
      }),
    pull: (request) =>
      world.clock.outside('helm pull', async () => {
        const helm = await locate('helm')
        await gate.pass(() =>
          inWorkspace([], async (workspace) => {
            const { home, files: target } = workspace
            const proxies = request.access?.proxies
            for (const command of await preparePull(request, { home, target }))
              await runTool({ tool: helm, workspace, ...command, allowsNetwork: true, variables: proxies })
            await takeChart(workspace.files, request.folder)
          }),
        )
      }),
  }
}

/** One command after another; what the last one wrote. */
async function lastOf(
  commands: ToolRun['commands'],
  run: (command: readonly string[]) => Promise<string>,
): Promise<string> {
  let output = ''
  for (const command of commands) output = await run(command)
  return output
}

interface Call {
  readonly tool: Pick<Located, 'path'>
  readonly workspace: Workspace
  readonly words: readonly string[]
  readonly input?: string
  /** Where to run, relative to the files. */
  readonly directory?: string
  /** Default: what rendering may. */
  readonly allowsNetwork?: boolean
  /** They stand for those of the same name. */
  readonly variables?: Readonly<Record<string, string>> | undefined
}

const maxShownCommand = 100

/** A command as messages name it: its first line, not too much of it. */
function shown(command: readonly string[]): string {
  const [line = '', ...more] = command.join(' ').split('\n')
  return more.length > 0 || line.length > maxShownCommand ? `${line.slice(0, maxShownCommand)} …` : line
}

/** The same words wherever the workspace was. */
function relativeFault(error: unknown, { files }: Workspace): unknown {
  if (!(error instanceof ToolFault)) return error
  const root = dirname(files)
  const message = error.message.replaceAll(`${files}/`, '').replaceAll(files, '.').replaceAll(`${root}/`, '')
  return new ToolFault(error.reason, withoutNowhere(message))
}
