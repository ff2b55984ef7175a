// A targetRevision that is a range of versions: it means the highest tag that fits. Branches are never meant. Pure.

import { maxSatisfying, valid, validRange } from 'semver'

/** In the words of semver; undefined when the text is no range, or one version. */
export function versionRange(text: string): string | undefined {
  // Argo CD's library separates with commas what npm's separates with spaces.
  const range = text.replaceAll(',', ' ').trim()
  if (!/^[v<>=^~]*[\d*]/.test(range) || valid(range) !== null) return undefined
  return validRange(range) === null ? undefined : range
}

/** The tag whose version is the highest that fits; tags may begin with `v`. */
export function highestTag(tags: readonly string[], range: string): string | undefined {
  const byVersion = new Map<string, string>()
  for (const tag of tags) {
    const version = valid(tag)
    if (version !== null && !byVersion.has(version)) byVersion.set(version, tag)
  }
  // A range that names a candidate for release means candidates everywhere.
  const includePrerelease = /\d-[0-9A-Za-z]/.test(range)
  const highest = maxSatisfying([...byVersion.keys()], range, { includePrerelease })
  return highest === null ? undefined : byVersion.get(highest)
}
