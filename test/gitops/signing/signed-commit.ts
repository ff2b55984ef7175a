// Commits and tags with a signature, made of what lies in the working tree.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestRepository } from '../git-repository.ts'
import type { Signer } from './signer.ts'

const person = 'Ada <ada@example.com> 1767225600 +0000'

/** Commits all files to the branch that is checked out. */
export function signCommit(repo: TestRepository, signer: Signer, files: Readonly<Record<string, string>>): string {
  repo.write(files)
  repo.git('add', '-A')
  const head = [
    `tree ${repo.git('write-tree')}`,
    `parent ${repo.git('rev-parse', 'HEAD')}`,
    `author ${person}`,
    `committer ${person}`,
  ].join('\n')
  const message = '\n\nsigned\n'
  const signature = signer.sign(`${head}${message}`).trimEnd().replaceAll('\n', '\n ')
  const id = write(repo, 'commit', `${head}\ngpgsig ${signature}${message}`)
  repo.git('update-ref', 'HEAD', id)
  return id
}

/** An annotated tag of HEAD. */
export function signTag(repo: TestRepository, signer: Signer, name: string): void {
  const text = `object ${repo.git('rev-parse', 'HEAD')}\ntype commit\ntag ${name}\ntagger ${person}\n\nrelease\n`
  repo.git('update-ref', `refs/tags/${name}`, write(repo, 'tag', `${text}${signer.sign(text)}`))
}

function write(repo: TestRepository, type: string, text: string): string {
  const path = join(repo.path, '.git', 'written')
  writeFileSync(path, text)
  return repo.git('hash-object', '-t', type, '-w', path)
}
