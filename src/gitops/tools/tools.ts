// Runs kustomize, helm and the commands of plug-ins over files that are handed in: in a private folder with an empty home,
// without a network unless it is allowed, with bounds of time, output and memory, and a few at a time. Answers what the tool
// wrote to stdout.

import { delimiter, dirname, join } from 'node:path'
import { Gate } from '#reconcile'
import type { World } from '#world'
import { type Limits, runChild } from './child.ts'
import { environmentOf } from './environment.ts'
import { type Located, type LocateOptions, locateTool, type ToolName } from './locate.ts'
import { absoluteFolders, findProgram } from './program.ts'
import { type ChartRequest, preparePull, takeChart } from './pull.ts'
import { ToolFault } from './tool-fault.ts'
import { addScript, inWorkspace, type Workspace, type WorkspaceFile } from './workspace.ts'

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

export interface Tools {
  readonly network: boolean
  /** `kustomize build` (kubectl's), with helm at hand for charts when `withHelm`. Throws ToolFault. */
  kustomize(run: ToolRun, options: { readonly withHelm: boolean }): Promise<string>
  /** Throws ToolFault. */
  helm(run: ToolRun): Promise<string>
  /** Programs are found on the user's PATH. Throws ToolFault, which names the command that failed. */
  commands(run: CommandRun): Promise<string>
  /** Fetches a chart. What a source names is fetched whether or not rendering may use the network. Throws ToolFault. */
  pull(request: ChartRequest): Promise<void>
}

const defaultLimits: Limits = { timeoutMs: 90_000, outputBytes: 100 * 1024 * 1024, memoryBytes: 4 * 1024 ** 3 }

/** What kustomize 5 asks helm before it uses it: it refuses version 4, whose `template` it could use as it is. */
const helmForKustomize = (helm: string): string => `#!/bin/sh
if [ "$1" = version ]; then echo v3.19.0; exit 0; fi
exec '${helm.replaceAll("'", "'\\''")}' "$@"
`

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
        let output = ''
        for (const words of run.commands)
          output = await runTool({ tool, workspace, words: [...first, ...words], directory: run.directory })
        return output
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

  return {
    network,
    commands: (run) =>
      world.clock.outside('plug-in', () =>
        gate.pass(() =>
          inWorkspace(run.files, async (workspace) => {
            let output = ''
            for (const command of run.commands) output = await runCommand(run, workspace, command)
            return output
          }),
        ),
      ),
    kustomize: (run, { withHelm }) =>
      world.clock.outside('kustomize', async () => {
        const tool = await locate('kubectl')
        const helm = withHelm ? await locate('helm') : undefined
        return execute(run, tool, async (workspace) =>
          helm === undefined
            ? ['kustomize']
            : [
                'kustomize',
                '--enable-helm',
                '--helm-command',
                await addScript(workspace, 'helm', helmForKustomize(helm.path)),
              ],
        )
      }),
    helm: (run) => world.clock.outside('helm', async () => execute(run, await locate('helm'), async () => [])),
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
  return new ToolFault(error.reason, message)
}
