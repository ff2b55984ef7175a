// `commit FILE [MESSAGE]`: writes its body into the repository and commits it; `commit FILE --remove` takes the file
// away; `commit FOLDER --from=PATH` copies a folder. The reconciler hears of it as from a webhook.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { LabCommand } from '../command.ts'
import type { Lab } from '../lab.ts'
import type { LabRepository } from '../repository.ts'
import { UsageError } from '../scenario-error.ts'

export const commitCommand: LabCommand = {
  name: 'commit',
  usage: 'FILE [MESSAGE] (body: its text) | FILE --remove | FOLDER --from=PATH',
  async run(lab, { words: [file, message], options, body }) {
    const { repository, gitops } = lab
    if (file === undefined || repository === undefined) throw new UsageError('name the file')
    const from = options.get('from')
    const written = from === undefined ? [file] : copyFolder(lab, repository, { from, to: file })
    const removed = options.has('remove')
    if (removed) await repository.remove(file)
    else if (from === undefined) repository.write(file, body)
    const id = await repository.commit(message ?? `Change ${file}`, removed ? [] : written)
    // Ids change with the second of the commit: they are shown as numbers.
    repository.commits += 1
    for (const form of [id, id.slice(0, 7)]) lab.names.alias(form, `commit-${repository.commits}`)
    gitops?.repositoryChanged(repository.path)
    await lab.world.settle()
    return [`${id}: ${message ?? `Change ${file}`}`]
  },
}

interface Copy {
  readonly from: string
  readonly to: string
}

function copyFolder({ folder }: Lab, repository: LabRepository, { from, to }: Copy): readonly string[] {
  const full = resolve(folder, from)
  if (!statSync(full, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`${from} is not a folder`)
  return readdirSync(full, { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((name) => statSync(join(full, name)).isFile())
    .map((name) => {
      const path = join(to, name)
      repository.write(path, readFileSync(join(full, name), 'utf8'))
      return path
    })
}
