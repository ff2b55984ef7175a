// The objects of a command: from its body, from a file or from a folder (all its YAML files, by name).

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { AnyObject } from '#objects'
import { UsageError } from './scenario-error.ts'

/** Errors name the line; of a body counted from the command's own. */
export function parseObjects(text: string, file?: string): readonly AnyObject[] {
  const documents = parseAllDocuments(text, { version: '1.1', merge: false })
  if (!Array.isArray(documents)) return []
  return documents.flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) {
      const line = error.linePos?.[0].line ?? 0
      // The parser says where in the body; the scenario says where in the file.
      const message = (error.message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, '')
      throw new UsageError(file === undefined ? message : `${file}:${line}: ${message}`, file === undefined ? line : 0)
    }
    const value: unknown = document.toJS()
    if (value === null || value === undefined) return []
    const { kind, apiVersion } = value as Partial<AnyObject>
    if (typeof kind !== 'string' || typeof apiVersion !== 'string')
      throw new UsageError(`${file ?? 'a document'} has no apiVersion or kind`)
    return [value as AnyObject]
  })
}

export function readObjects(folder: string, path: string): readonly AnyObject[] {
  const full = resolve(folder, path)
  const stat = statSync(full, { throwIfNoEntry: false })
  if (stat === undefined) throw new UsageError(`${path} does not exist (looked for ${full})`)
  if (!stat.isDirectory()) return parseObjects(readFileSync(full, 'utf8'), path)
  return readdirSync(full)
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .flatMap((name) => parseObjects(readFileSync(join(full, name), 'utf8'), join(path, name)))
}
