// What conditions and templates see: the application, and functions of Argo CD. Pure, but for what was looked up before.

import { goObject, TemplateFault, type Value } from '#gitops/gotemplate'
import type { Application } from '#kinds'
import { isJsonMap, type Json, type JsonObject } from '#objects'
import { goTime, timeFunctions } from './go-time.ts'

export interface Commit {
  readonly author: string
  readonly message: string
  readonly dateMs: number
}

export interface EnvironmentInput {
  readonly app: Application
  readonly now: number
  /** Commits of the application's repositories that were looked up, by revision. */
  readonly commits: ReadonlyMap<string, Commit>
}

const fn = (type: string, call: (...given: readonly Value[]) => Value): JsonObject =>
  goObject({ type, text: () => type, methods: {}, call })

const textOf = (value: Value): string => {
  if (typeof value === 'string') return value
  throw new TemplateFault('a text is expected')
}

export const environmentOf = ({ app, now, commits }: EnvironmentInput): JsonObject => ({
  app: app as unknown as Json,
  time: timeFunctions(now),
  strings: {
    ReplaceAll: fn('func', (text, from, to) => textOf(text).replaceAll(textOf(from), textOf(to))),
    ToUpper: fn('func', (text) => textOf(text).toUpperCase()),
    ToLower: fn('func', (text) => textOf(text).toLowerCase()),
  },
  sync: { GetInfoItem: fn('func', (of, name) => infoItem(of, textOf(name))) },
  repo: {
    RepoURLToHTTPS: fn('func', (url) => httpsUrl(textOf(url))),
    FullNameByRepoURL: fn('func', (url) => fullName(textOf(url))),
    QueryEscape: fn('func', (text) => encodeURIComponent(textOf(text)).replaceAll('%20', '+')),
    GetCommitMetadata: fn('func', (revision) => commitOf(commits, textOf(revision))),
  },
})

function infoItem(app: Value, name: string): Value {
  const steps = [['operation'], ['status', 'operationState', 'operation']]
  for (const path of steps) {
    let value: Value = app
    for (const step of path) value = isJsonMap(value) ? value[step] : undefined
    const info = isJsonMap(value) ? value['info'] : undefined
    const items = Array.isArray(info) ? (info as readonly Json[]) : []
    const item = items.find((each) => isJsonMap(each) && each['name'] === name)
    if (isJsonMap(item)) return item['value']
  }
  throw new TemplateFault(`application sync operation info item ${name} is not found`)
}

/** `git@host:owner/repo.git` as `https://host/owner/repo.git`. */
function httpsUrl(url: string): string {
  const ssh = /^(?:ssh:\/\/)?(?:[^@/]+@)?([^:/]+)(?::\d+(?=\/))?[:/](.+)$/.exec(url)
  return /^https?:\/\//.test(url) || ssh === null ? url : `https://${ssh[1]}/${ssh[2]}`
}

/** `owner/repo` */
export function fullName(url: string): string {
  const path = /^https?:\/\/[^/]+\/(.+?)(\.git)?\/*$/.exec(httpsUrl(url))?.[1]
  if (path === undefined || !path.includes('/')) throw new TemplateFault(`${url} has no owner and repository`)
  return path
}

function commitOf(commits: ReadonlyMap<string, Commit>, revision: string): Value {
  const commit = commits.get(revision)
  if (commit === undefined) throw new TemplateFault(`${revision} is no commit of the application's repository`)
  return { Message: commit.message, Author: commit.author, Date: goTime(commit.dateMs), Tags: [] }
}
