// What git keeps of a file in Git LFS: where it is, not what is in it. Nothing fetches the content here, so whoever needs it is
// told. Pure.

const begin = 'version https://git-lfs.github.com/spec/'

export const pointerMessage =
  'this is a pointer of Git LFS: the content is not in the repository, and is not fetched; keep manifests in git itself'

export const isPointerText = (text: string): boolean => text.startsWith(begin)

export const isPointer = (bytes: Uint8Array): boolean =>
  isPointerText(Buffer.from(bytes.subarray(0, begin.length)).toString('latin1'))

/** What tools read to render: a picture beside a chart may be where it likes. */
const read = /\.(ya?ml|json|tpl|tgz|gz|(json|lib)sonnet|env|properties|txt)$|(^|\/)(Kustomization|templates\/.*)$/i

export const isPointerToRead = (path: string, bytes: Uint8Array): boolean => read.test(path) && isPointer(bytes)
