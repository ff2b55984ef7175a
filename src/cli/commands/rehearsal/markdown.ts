// Parts of a comment in Markdown. What stands in a repository must not be able to write anything else into it.

/** Text within a line. */
export const escaped = (text: string): string =>
  text.replace(/[\r\n]+/g, ' ').replace(/[\\`*_{}[\]<>|#@!~&]/g, (mark) => (mark === '@' ? '@\u200b' : `\\${mark}`))

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

/** GitHub takes 65,536 characters, others more. */
const lengthMax = 60_000

interface Comment {
  readonly head: readonly string[]
  readonly parts: readonly string[]
  readonly foot: readonly string[]
}

/** As many of the parts as a comment has room for. */
export function bounded({ head, parts, foot }: Comment): string {
  const [begin, end] = [head.join('\n'), foot.join('\n')]
  const shown: string[] = []
  let room = lengthMax - begin.length - end.length - 200
  for (const part of parts) {
    room -= part.length + 1
    if (room < 0) break
    shown.push(part)
  }
  const left = parts.length - shown.length
  const rest = left === 0 ? [] : [`… and ${left} more, for which a comment has no room.`, '']
  return [begin, ...shown, ...rest, end].join('\n').trimEnd()
}
