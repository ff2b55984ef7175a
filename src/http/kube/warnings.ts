// Warnings as headers: `Warning: 299 - "text"`. Many and long ones are cut, as Kubernetes does, since clients take only so much
// of a header (k8s.io/apiserver/pkg/endpoints/filters/warning.go).

const maxTotal = 4 * 1024
/** What is left of each, where all of them together are too long. */
const maxEach = 256

export function warningHeaders(warnings: readonly string[]): readonly string[] {
  const texts = [...new Set(warnings)].filter((text) => text !== '')
  const total = texts.reduce((length, text) => length + text.length, 0)
  if (total <= maxTotal) return texts.map(header)
  let written = 0
  return texts.flatMap((text) => {
    if (written >= maxTotal) return []
    const cut = cutTo(text, maxEach)
    written += cut.length
    return [header(cut)]
  })
}

/** Never between the halves of a character. */
function cutTo(text: string, length: number): string {
  const cut = text.slice(0, length)
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** With quotes and line breaks made harmless. */
function header(text: string): string {
  const safe = text.replace(/[\r\n\t]+/g, ' ').replace(/[^\x20-\x7e\x80-\xff]/g, '?')
  return `299 - "${safe.replace(/[\\"]/g, '\\$&')}"`
}
