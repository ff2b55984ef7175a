import { expect, test } from 'vitest'
import { signedCommit, signedTag } from './signed-object.ts'

const block = '-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n'
const folded = block.trimEnd().replaceAll('\n', '\n ')

test('a commit is signed without its signature; what it merged keeps its own', () => {
  const before = `tree 1\nauthor A <a@b>\nmergetag object 2\n type commit\n gpgsig x\n \n ${folded}\n`
  const after = 'encoding latin1\n\ngpgsig in the message\n \xfc\n'
  const commit = Buffer.from(`${before}gpgsig ${folded}\n${after}`, 'latin1')
  expect(signedCommit(commit)).toEqual({ payload: Buffer.from(before + after, 'latin1'), signature: block })
  const both = Buffer.from(`${before}gpgsig ${folded}\ngpgsig-sha256 ${folded}\n${after}`, 'latin1')
  expect(signedCommit(both)).toEqual(signedCommit(commit))
})

test.each(['', 'tree 1', 'tree 1\n\nmessage', `tree 1\n\n${block}`])('%j is not signed', (text) => {
  expect(signedCommit(Buffer.from(text))).toEqual({ payload: Buffer.from(text), signature: '' })
})

test('a tag ends with its signature: the last one', () => {
  const text = `object 1\ntag v1\n\n${block}was quoted\n`
  expect(signedTag(Buffer.from(text + block))).toEqual({ payload: Buffer.from(text), signature: block })
  expect(signedTag(Buffer.from('object 1\n\nno\n')).signature).toBe('')
})
