// Where a program is that somebody named: by its whole path, or by its name alone on PATH. What is neither would be found in
// the folder in which it runs, which is a repository's.

import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Folders of a PATH, without those that depend on where a program runs. */
export const absoluteFolders = (path: string | undefined): readonly string[] =>
  (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder))

/** It can be found without looking into the folder in which it runs. */
export const isNamed = (word: string): boolean => isAbsolute(word) || /^[^/\\\0]+$/.test(word)

/** The whole path of a program; undefined when there is none. */
export function findProgram(word: string, path: string | undefined): string | undefined {
  if (!isNamed(word)) return undefined
  const places = isAbsolute(word) ? [word] : absoluteFolders(path).map((folder) => join(folder, word))
  return places.find(isProgram)
}

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK)
    return statSync(place).isFile()
  } catch {
    // Not there, or not ours to run: the next place is tried.
    return false
  }
}
