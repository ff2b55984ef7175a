// What `.gitmodules` says: where the submodules of a commit come from. The file is written by whoever wrote the repository, so
// nothing in it is taken for more than a name: unknown keys are not read, and what is no such file says so. Pure.

import { parseRepoUrl } from './repo-url.ts'
import { SourceError } from './source-error.ts'

export interface GitModule {
  readonly name: string
  readonly url: string
}

export const maxModules = 200
const maxBytes = 512 * 1024
/** Longer lines say nothing that could be used. */
const maxLineLength = 4096

/** By path from the root. The last of several values counts, as in git. */
export function parseGitModules(bytes: Uint8Array): ReadonlyMap<string, GitModule> {
  if (bytes.length > maxBytes) throw new SourceError('TooLarge', `.gitmodules is larger than ${maxBytes} bytes`)
  const sections = new Map<string, Record<string, string>>()
  let values: Record<string, string> | undefined
  for (const line of Buffer.from(bytes).toString('utf8').split(/\r?\n/)) {
    if (line.length > maxLineLength) continue
    const name = /^\s*\[submodule\s+"((?:[^"\\]|\\.)*)"\]/i.exec(line)?.[1]?.replace(/\\(.)/g, '$1')
    if (name !== undefined) {
      values = sections.get(name) ?? {}
      sections.set(name, values)
      if (sections.size > maxModules)
        throw new SourceError('TooLarge', `.gitmodules has more than ${maxModules} submodules`)
      continue
    }
    if (/^\s*\[/.test(line)) values = undefined
    const [, key = '', value = ''] = /^\s*(path|url)\s*=\s*(.*)$/i.exec(line) ?? []
    if (values !== undefined && key !== '') values[key.toLowerCase()] = plain(value)
  }
  const modules = new Map<string, GitModule>()
  for (const [name, { path = '', url = '' }] of sections)
    if (path !== '' && url !== '') modules.set(path.replace(/\/+$/, ''), { name, url })
  return modules
}

/** A value of a configuration file: quotes and comments are no part of it. */
function plain(text: string): string {
  let value = ''
  let isQuoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? ''
    if (character === '\\') value += text[++index] ?? ''
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && (character === '#' || character === ';')) break
    else value += character
  }
  return value.trim()
}

/** The address of a submodule; a relative one is seen from that of the repository. Throws SourceError. */
export function moduleUrl(url: string, parent: string | undefined): string {
  const absolute = /^\.\.?(\/|$)/.test(url) ? resolved(url, parent) : url
  if (parseRepoUrl(absolute).type === 'local')
    throw new SourceError(
      'InvalidUrl',
      `${JSON.stringify(url)} is a path of this machine, which no repository may name`,
    )
  return absolute
}

function resolved(url: string, parent: string | undefined): string {
  if (parent === undefined)
    throw new SourceError(
      'InvalidUrl',
      `${JSON.stringify(url)} is relative, and the repository has no remote named origin`,
    )
  const [, server = '', path = ''] = /^([a-z]+:\/\/[^/]+)(.*)$/i.exec(parent) ?? []
  const steps = path.split('/').filter((step) => step !== '')
  for (const step of url.split('/')) {
    if (step === '' || step === '.') continue
    if (step !== '..') steps.push(step)
    else if (steps.pop() === undefined)
      throw new SourceError('InvalidUrl', `${JSON.stringify(url)} leads out of ${server}`)
  }
  return `${server}/${steps.join('/')}`
}

/** The folder of a submodule below `.git/modules`; undefined for a name that leads elsewhere. */
export function moduleSteps(name: string): readonly string[] | undefined {
  const steps = name.split('/')
  return steps.some((step) => step === '' || step === '.' || step === '..' || /[\\\0]/.test(step)) ? undefined : steps
}
