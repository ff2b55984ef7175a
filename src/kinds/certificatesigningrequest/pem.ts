// PEM as Go's decoder reads it: text around blocks is passed over, a block that is broken too. Bytes are a latin1 text. Pure.

export interface PemBlock {
  readonly type: string
  readonly hasHeaders: boolean
  readonly bytes: Uint8Array
  /** What comes behind the block. */
  readonly rest: string
}

const begin = '-----BEGIN '
const end = '\n-----END '
const dashes = '-----'

/** A line without the white space at its end, and what comes behind it. */
function line(text: string): readonly [line: string, rest: string] {
  const at = text.indexOf('\n')
  return at < 0 ? [text.trimEnd(), ''] : [text.slice(0, at).trimEnd(), text.slice(at + 1)]
}

/** The first block of a text. */
export function decodePem(data: string): PemBlock | undefined {
  let rest = data
  for (;;) {
    const at = rest.startsWith(begin) ? 0 : rest.indexOf(`\n${begin}`) + 1
    if (at === 0 && !rest.startsWith(begin)) return undefined
    const [typeLine, body] = line(rest.slice(at + begin.length))
    rest = body
    if (!typeLine.endsWith(dashes)) continue
    const block = blockOf(typeLine.slice(0, -dashes.length), body)
    if (block !== undefined) return block
  }
}

function blockOf(type: string, body: string): PemBlock | undefined {
  const [headers, content] = withoutHeaders(body)
  const isEmpty = !headers && content.startsWith(end.slice(1))
  const at = isEmpty ? 0 : content.indexOf(end)
  if (at < 0) return undefined
  const trailer = content.slice(at + end.length - (isEmpty ? 1 : 0))
  if (!trailer.startsWith(`${type}${dashes}`)) return undefined
  const [after, rest] = line(trailer.slice(type.length + dashes.length))
  const bytes = after === '' ? base64(content.slice(0, at)) : undefined
  return bytes === undefined ? undefined : { type, hasHeaders: headers, bytes, rest }
}

/** Headers are lines with a colon, before all others. */
function withoutHeaders(body: string): readonly [hasHeaders: boolean, content: string] {
  let rest = body
  let found = false
  for (;;) {
    const [first, next] = line(rest)
    if (rest === '' || !first.includes(':')) return [found, rest]
    found = true
    rest = next
  }
}

/** Strictly: whole groups of four, padded. */
function base64(text: string): Uint8Array | undefined {
  const joined = text.replace(/[ \t\r\n]/g, '')
  const padded = /={0,2}$/.exec(joined)?.[0].length ?? 0
  const isGood = joined.length % 4 === 0 && /^[A-Za-z0-9+/]*$/.test(joined.slice(0, joined.length - padded))
  return isGood ? Buffer.from(joined, 'base64') : undefined
}
