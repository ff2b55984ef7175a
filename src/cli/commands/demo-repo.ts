// Makes `<data-dir>/demo-repo`: the examples as a git repository of its own, to commit to. An existing one is kept as it
// is, with whatever was committed there.

import * as fs from 'node:fs'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import git from 'isomorphic-git'

const examples = fileURLToPath(new URL('../../../examples-repo', import.meta.url))
const author = { name: 'homeostat', email: 'homeostat@example.com' }

/** The remote that the example Applications name as their repository. */
export const examplesRemote = 'https://git.example.com/platform/examples.git'

/** The folder of the demo repository, made when it is not there yet. */
export async function makeDemoRepo(dataDir: string): Promise<string> {
  const dir = join(dataDir, 'demo-repo')
  if (existsSync(join(dir, '.git'))) return dir
  // Made beside its place and renamed at the end, so that a half-made repository is never taken for a whole one.
  const unfinished = `${dir}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(dataDir, { recursive: true })
  cpSync(examples, unfinished, { recursive: true })
  await git.init({ fs, dir: unfinished, defaultBranch: 'main' })
  await git.addRemote({ fs, dir: unfinished, remote: 'origin', url: examplesRemote })
  await git.add({ fs, dir: unfinished, filepath: '.' })
  await git.commit({ fs, dir: unfinished, message: 'Add the guestbook and the shop', author })
  // A person's own commits need an author too; git refuses to commit without one on a machine that has none set up.
  await git.setConfig({ fs, dir: unfinished, path: 'user.name', value: author.name })
  await git.setConfig({ fs, dir: unfinished, path: 'user.email', value: author.email })
  rmSync(dir, { recursive: true, force: true })
  renameSync(unfinished, dir)
  return dir
}

export interface Rollout {
  readonly file: string
  /** `shop-frontend:1.8.0` */
  readonly from: string
  readonly to: string
}

/** A change of the demo repository that nobody has made yet: the version after the one that is there. */
export async function nextRollout(repository: string): Promise<Rollout | undefined> {
  const file = 'shop/frontend.yaml'
  const text = await readFile(join(repository, file), 'utf8').catch(() => '')
  const [from, image, major, minor] = /(shop-frontend):(\d{1,6})\.(\d{1,6})\.\d{1,6}/.exec(text) ?? []
  return from === undefined ? undefined : { file, from, to: `${image}:${major}.${Number(minor) + 1}.0` }
}
