// helm as kustomize runs it: through a script, since kustomize 5 refuses helm 4 by its version, though it could use it as it is.

import { addScript, type Workspace } from './workspace.ts'

/** Its words where it may ask a cluster. It would also hold what it has rendered against it (kinds that are not served yet,
 * objects that are there already), and refuse what a sync is right to do; it does not where it writes to files. */
export const lookingWords = (folder: string): readonly string[] => ['--dry-run=server', '--output-dir', folder]

const plain = (helm: string): string => `#!/bin/sh
if [ "$1" = version ]; then echo v3.19.0; exit 0; fi
exec '${helm.replaceAll("'", "'\\''")}' "$@"
`

/** Files come back as the text that kustomize waits for. */
const looking = (helm: string, home: string): string => `#!${process.execPath}
const { spawnSync } = require('node:child_process')
const { mkdtempSync, readFileSync, readdirSync } = require('node:fs')
const { join } = require('node:path')
const words = process.argv.slice(2)
if (words[0] === 'version') {
  process.stdout.write('v3.19.0\\n')
} else {
  const folder = words[0] === 'template' ? mkdtempSync(join(${JSON.stringify(home)}, 'written-')) : undefined
  const more = folder === undefined ? [] : ${JSON.stringify(lookingWords('FOLDER'))}.map((word) => word === 'FOLDER' ? folder : word)
  const stdio = ['ignore', folder === undefined ? 'inherit' : 'ignore', 'inherit']
  const { status } = spawnSync(${JSON.stringify(helm)}, [...words, ...more], { stdio })
  process.exitCode = status ?? 1
  if (status === 0 && folder !== undefined) {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    for (const path of files.map((entry) => join(entry.parentPath, entry.name)).sort()) process.stdout.write(readFileSync(path))
  }
}
`

/** Puts it on the workspace's PATH; with `looks` it may ask the cluster that KUBECONFIG leads to. */
export const addHelm = (workspace: Workspace, helm: string, looks: boolean): Promise<string> =>
  looks ? addScript(workspace, 'helm.cjs', looking(helm, workspace.home)) : addScript(workspace, 'helm', plain(helm))
