// Git over ssh, by the system's git and ssh. Keys come from credentials, else from the user's agent and files; the host's key
// must be known, unless people say otherwise. Nothing of a repository's or user's git configuration is used, and nothing asks questions.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChild, ToolFault } from '#gitops/tools'
import { type RefTable, readRefs } from './refs.ts'
import { type AccessOf, depthOf } from './remote-access.ts'
import { deepenBy, readShallow } from './shallow.ts'
import { messageOf, scrub } from './source-error.ts'
import { isKeptRef, type Transport } from './transport.ts'

export interface SshOptions {
  readonly url: string
  readonly access: AccessOf
  /** More host keys than those in the user's own file, in its format. */
  readonly knownHosts: () => string | undefined
  /** Of the user: PATH, HOME, SSH_AUTH_SOCK. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

const limits = { timeoutMs: 15 * 60_000, outputBytes: 64 * 1024 * 1024, memoryBytes: 0 }

/** Only ssh may be spoken: a remote cannot send git elsewhere. */
const settings = [
  ...['-c', 'protocol.allow=never', '-c', 'protocol.ssh.allow=always', '-c', 'core.hooksPath=/dev/null'],
  // What comes stays a pack, however little it is: packs are made into one, loose objects are not.
  ...['-c', 'gc.auto=0', '-c', 'fetch.unpackLimit=1', '-c', 'fetch.recurseSubmodules=false'],
]

export function sshGit(options: SshOptions): Transport {
  const run = (words: readonly string[], directory: string): Promise<string> =>
    withKeys(options, (ssh) =>
      runChild({
        command: 'git',
        arguments: [...settings, ...words],
        directory,
        environment: environmentOf(options.environment, ssh),
        limits,
      }),
    )
  const depth = (): number | undefined => depthOf(options.access())
  const depthWords = async (gitDirectory: string): Promise<readonly string[]> => {
    const deepen = deepenBy(depth(), await readShallow(gitDirectory))
    return deepen === undefined ? [] : [`--depth=${deepen}`]
  }
  return {
    depth,
    async listRefs() {
      return parseRefs(await run(['ls-remote', '--', options.url, 'HEAD', 'refs/heads/*', 'refs/tags/*'], tmpdir()))
    },
    async download(gitDirectory, { table: { head } }) {
      const refs = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']
      const all = head === undefined ? refs : [...refs, '+HEAD:refs/remotes/origin/HEAD']
      const words = ['fetch', '--quiet', '--prune', '--no-tags', ...(await depthWords(gitDirectory))]
      await run([...words, '--', options.url, ...all], gitDirectory)
      return fetchedRefs(gitDirectory)
    },
    async downloadCommit(gitDirectory, id) {
      const words = ['fetch', '--quiet', '--no-tags', ...(await depthWords(gitDirectory))]
      await run([...words, '--', options.url, id], gitDirectory)
    },
    explain(error) {
      const message = scrub(messageOf(error))
      if (error instanceof ToolFault && /ENOENT/.test(message))
        return 'git is needed for ssh remotes: install git and ssh'
      if (/IDENTIFICATION HAS CHANGED/i.test(message))
        return 'the host shows another key than the one that is known: if it was changed on purpose, put the new one into ~/.ssh/known_hosts or the ConfigMap argocd/argocd-ssh-known-hosts-cm in place of the old'
      if (/Host key verification failed/i.test(message))
        return 'the key of the host is not known: add it to ~/.ssh/known_hosts or to the ConfigMap argocd/argocd-ssh-known-hosts-cm'
      if (/Permission denied/i.test(message))
        return 'permission denied: no key of the agent, of ~/.ssh, of a repository Secret (sshPrivateKey) or of HOMEOSTAT_REPO_SSH_KEY was accepted'
      return message
    },
  }
}

/** What the fetch wrote: remote branches become branches, and the remote's HEAD is HEAD. */
async function fetchedRefs(gitDirectory: string): Promise<RefTable> {
  const written = await readRefs({ gitDirectory, commonDirectory: gitDirectory })
  const prefix = 'refs/remotes/origin/'
  const refs = new Map<string, string>()
  let head: string | undefined
  for (const [name, id] of written.refs) {
    if (name === `${prefix}HEAD`) head = id
    else if (name.startsWith(prefix)) refs.set(`refs/heads/${name.slice(prefix.length)}`, id)
    else if (name.startsWith('refs/tags/')) refs.set(name, id)
  }
  return { head, refs }
}

/** Name and target are separated by a tab; an annotated tag is followed by what it names, with `^{}`. */
function parseRefs(text: string): RefTable {
  const refs = new Map<string, string>()
  let head: string | undefined
  for (const line of text.split('\n')) {
    const [id = '', name = ''] = line.split('\t')
    if (!/^[0-9a-f]{40}$/.test(id)) continue
    if (name === 'HEAD') head = id
    else if (isKeptRef(name)) refs.set(name, id)
  }
  return { head, refs }
}

/** Keys and hosts are files for ssh, in a folder that only this user can read, as long as a command runs. */
async function withKeys<T>(options: SshOptions, work: (ssh: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'homeostat-ssh-'))
  try {
    const { credentials, tls } = options.access()
    const isChecked = tls?.insecure !== true
    const words = [
      'ssh',
      '-o BatchMode=yes',
      `-o StrictHostKeyChecking=${isChecked ? 'yes' : 'no'}`,
      '-o ConnectTimeout=20',
    ]
    const key = credentials?.sshPrivateKey
    if (key !== undefined) {
      const path = join(folder, 'key')
      await writeFile(path, key.endsWith('\n') ? key : `${key}\n`, { mode: 0o600 })
      words.push(`-i ${path}`, '-o IdentitiesOnly=yes')
    }
    const hosts = isChecked ? options.knownHosts() : undefined
    // A key that is not checked is not kept either.
    if (!isChecked) words.push('-o UserKnownHostsFile=/dev/null')
    if (hosts !== undefined && hosts.trim() !== '') {
      const path = join(folder, 'known_hosts')
      await writeFile(path, hosts, { mode: 0o600 })
      words.push(`-o 'UserKnownHostsFile=~/.ssh/known_hosts ${path}'`)
    }
    return await work(words.join(' '))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function environmentOf(user: SshOptions['environment'], ssh: string): Readonly<Record<string, string>> {
  const passed: Record<string, string> = {}
  for (const name of ['PATH', 'HOME', 'USER', 'LOGNAME', 'SSH_AUTH_SOCK']) {
    const value = user[name]
    if (value !== undefined) passed[name] = value
  }
  return {
    ...passed,
    GIT_SSH_COMMAND: user['GIT_SSH_COMMAND'] ?? ssh,
    GIT_SSH_VARIANT: 'ssh',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    LC_ALL: 'C',
  }
}
