// Parts of a comment in Markdown. What stands in a repository must not be able to write anything else into it.

/** Text within a line. */
export const escaped = (text: string): string =>
  text.replace(/[\r\n]+/g, ' ').replace(/[\\`*_{}[\]<>|#@!~]/g, (mark) => (mark === '@' ? '@\u200b' : `\\${mark}`))

const linesMax = 60
const widthMax = 300

/** Lines in a fence that none of them can end. */
export function fenced(lines: readonly string[], language = ''): readonly string[] {
  const all = lines.flatMap((line) => line.split('\n'))
  const shown = all
    .slice(0, linesMax)
    .map((line) => (line.length > widthMax ? `${line.slice(0, widthMax)}…` : line).replace(/\r/g, ''))
  if (all.length > linesMax) shown.push(`… and ${all.length - linesMax} more lines`)
  const longest = Math.max(2, ...shown.map((line) => /^[^`]*(`*)/.exec(line)?.[1]?.length ?? 0))
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...shown, fence]
}
