// The signature of a commit or an annotated tag, and what was signed: the object without its signature. Pure.

export interface SignedObject {
  /** The commit that is meant, through the tag. */
  readonly commit: string
  readonly payload: Buffer
  /** In ASCII armour; empty where there is none. */
  readonly signature: string
}

export type Signed = Omit<SignedObject, 'commit'>

/** Commits carry it in a header, whose further lines begin with a space. */
export function signedCommit(bytes: Uint8Array): Signed {
  const text = Buffer.from(bytes).toString('latin1')
  const end = text.indexOf('\n\n')
  const head = end < 0 ? text : text.slice(0, end + 1)
  const kept: string[] = []
  const signature: string[] = []
  let header = ''
  for (const line of head.split(/(?<=\n)/)) {
    if (!line.startsWith(' ')) header = line.slice(0, line.indexOf(' '))
    if (header === 'gpgsig') signature.push(line.startsWith(' ') ? line.slice(1) : line.slice('gpgsig '.length))
    // That of the same commit in a repository of SHA-256 is no part of what is signed either.
    else if (header !== 'gpgsig-sha256') kept.push(line)
  }
  const payload = Buffer.from(kept.join('') + text.slice(head.length), 'latin1')
  return { payload, signature: signature.join('') }
}

/** Tags end with it. */
export function signedTag(bytes: Uint8Array): Signed {
  const text = Buffer.from(bytes).toString('latin1')
  const begins = [...text.matchAll(/^-----BEGIN (?:PGP|SSH) (?:SIGNATURE|MESSAGE)-----/gm)]
  const at = begins.at(-1)?.index ?? text.length
  return { payload: Buffer.from(text.slice(0, at), 'latin1'), signature: text.slice(at) }
}
