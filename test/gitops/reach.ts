// How a repository that is served is reached: over http, or over what stands for ssh and the other machine.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GitServer } from './git-server.ts'

export type Way = 'http' | 'ssh'

interface Served {
  readonly server: GitServer
  /** Folder of what is served, and a repository's path in it. */
  readonly root: string
  readonly path: string
  /** Of whoever reaches it. */
  readonly home: string
}

interface Reached {
  readonly url: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

export function reach(way: Way, { server, root, path, home }: Served): Reached {
  if (way === 'http') return { url: `${server.url}/${path}`, environment: {} }
  return { url: `git@git.example:${join(root, path)}`, environment: overSsh(home) }
}

/** Runs the command that ssh is given for the host. */
export const runLast = 'for last; do :; done; exec sh -c "$last"'

/** A script in the place of ssh. */
export function overSsh(home: string, script = runLast): Reached['environment'] {
  const ssh = join(home, 'ssh.sh')
  writeFileSync(ssh, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { PATH: process.env['PATH'], HOME: home, GIT_SSH_COMMAND: ssh }
}
