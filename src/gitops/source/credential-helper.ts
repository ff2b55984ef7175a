// Asks git's own credential helpers, as `git fetch` in a terminal would, but without questions to anybody. Only for what a person
// has named: a manifest that names a repository must not get at what that person may read.

import { tmpdir } from 'node:os'
import { runChild, ToolFault } from '#gitops/tools'
import type { Credentials } from './repo-url.ts'

const limits = { timeoutMs: 30_000, outputBytes: 64 * 1024, memoryBytes: 0 }

/** Undefined where there is no git, no helper, or none that knows this server. `url` is an http(s) URL without credentials. */
export async function askHelpers(
  url: string,
  user: Readonly<Record<string, string | undefined>>,
): Promise<Credentials | undefined> {
  const { protocol, host, pathname } = new URL(url)
  const wanted = [`protocol=${protocol.replace(':', '')}`, `host=${host}`, `path=${pathname.slice(1)}`, '', '']
  try {
    const answer = await runChild({
      command: 'git',
      arguments: ['credential', 'fill'],
      directory: tmpdir(),
      environment: environmentOf(user),
      limits,
      input: wanted.join('\n'),
    })
    const said = new Map(
      answer.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
    const [username, password] = [said.get('username'), said.get('password')]
    return password === undefined ? undefined : { username: username ?? '', password }
  } catch (error) {
    if (error instanceof ToolFault) return undefined
    throw error
  }
}

/** Helpers need what their user has; what would make git ask, or look into another repository, is left out. */
function environmentOf(user: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(user))
    if (
      value !== undefined &&
      !/^(GIT_(DIR|WORK_TREE|INDEX_FILE|ASKPASS|TERMINAL_PROMPT|TRACE.*)|SSH_ASKPASS)$/.test(name)
    )
      passed[name] = value
  return { ...passed, GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: 'false', GCM_INTERACTIVE: 'never', LC_ALL: 'C' }
}
