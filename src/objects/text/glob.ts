// Globs of names: `*` stands for any text (slashes too), `?` for one character. Pure; compiled patterns are kept.

const compiled = new Map<string, RegExp>()
const limit = 5000

function regexOf(pattern: string): RegExp {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  // Stars in a row are one: as several, a long name could be split among them in too many ways.
  const source = pattern
    .replace(/\*+/g, '*')
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '[^]*')
    .replaceAll('?', '[^]')
  const regex = new RegExp(`^${source}$`)
  if (compiled.size >= limit) compiled.clear()
  compiled.set(pattern, regex)
  return regex
}

/** Whether the name matches the glob. */
export const matchesGlob = (pattern: string, name: string): boolean =>
  pattern.includes('*') || pattern.includes('?') ? regexOf(pattern).test(name) : pattern === name

/** Whether the name matches one of the globs; without a list everything does. */
export const matchesGlobs = (patterns: readonly string[] | undefined, name: string): boolean =>
  patterns === undefined || patterns.some((pattern) => matchesGlob(pattern, name))
