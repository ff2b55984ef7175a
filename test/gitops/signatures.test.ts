// Signatures that gpg 2.2 and OpenSSH 9 made of `recorded/text`, and others that they would not make.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readKeyring, type Verdict, verifySignature } from '#gitops/signatures'
import { openPgpSigner, type SignerOptions, sshSigner } from './signing/signer.ts'

const folder = join(import.meta.dirname, 'signing/recorded')
const recorded = (name: string): string => readFileSync(join(folder, name), 'utf8')
const text = readFileSync(join(folder, 'text'))
const now = Date.UTC(2026, 2, 1)
const dayMs = 24 * 60 * 60 * 1000

const ringOf = (...names: readonly string[]) =>
  readKeyring(Object.fromEntries(names.map((name) => [name, recorded(`${name}.asc`)])))
const check = (name: string, keys: readonly string[] = [name], payload = text): Verdict =>
  verifySignature({ payload, signature: recorded(`${name}.sig`) }, ringOf(...keys), now)

describe('OpenPGP', () => {
  test.each([
    ['rsa', 'RSA', '5A21A833BB121514'],
    ['ed', 'EDDSA', '387225876C6C82A8'],
    ['ec', 'ECDSA', 'ED3E973FC6D24F79'],
    ['short', 'EDDSA', '176A54D943B5077C'],
  ])('a signature by a key of gpg: %s', (name, cipher, keyId) => {
    expect(check(name, ['rsa', 'ed', 'ec', 'short'])).toMatchObject({ result: 'good', cipher, keyId })
    const changed = Buffer.from(text.toString().replace('signed', 'Signed'))
    expect(check(name, [name], changed)).toMatchObject({ result: 'invalid', keyId, message: /BAD signature/ as never })
  })

  test('a subkey signs for its key', () => {
    expect(check('sub')).toMatchObject({
      result: 'good',
      cipher: 'RSA',
      names: [expect.stringMatching(/^[0-9A-F]{40}$/), '642772D34294EA975ACA73E38EA80797E6A8C312'],
    })
  })

  test('what is revoked, weak, unknown or of another kind is no good', () => {
    expect(check('gone')).toMatchObject({ result: 'invalid', message: 'the key is revoked' })
    expect(check('sha1', ['ed'])).toMatchObject({ result: 'invalid', message: 'it uses SHA-1, which is too weak' })
    expect(check('rsa', ['ed'])).toEqual({ result: 'unknown', keyId: '5A21A833BB121514' })
    expect(check('dsa')).toMatchObject({ result: 'unknown' })
    expect(ringOf('dsa').faults).toEqual(['dsa: keys of algorithm 17 are not supported'])
    const body = Buffer.concat([Buffer.from([4, 0, 0, 0, 0, 1]), Buffer.alloc(70_000)])
    const packet = Buffer.concat([Buffer.from([0xc6, 0xff, 0, 0, 0, 0]), body])
    packet.writeUInt32BE(body.length, 2)
    const long = `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${packet.toString('base64')}\n-----END PGP PUBLIC KEY BLOCK-----`
    expect(readKeyring({ long }).faults).toEqual(['long: a key is longer than its length can say'])
  })

  const made = (options: SignerOptions): Verdict => {
    const signer = openPgpSigner(options)
    return verifySignature({ payload: text, signature: signer.sign(text) }, readKeyring({ a: signer.publicKey }), now)
  }

  test('time: a key and a signature are good for as long as they say', () => {
    expect(made({})).toMatchObject({ result: 'good' })
    const createdAtMs = Date.UTC(2026, 0, 1)
    const late = { createdAtMs, signedAtMs: createdAtMs + 20 * dayMs, keyExpiresAfterMs: 10 * dayMs }
    expect(made(late)).toMatchObject({ result: 'invalid', message: 'the key had expired' })
    expect(made({ ...late, keyExpiresAfterMs: 30 * dayMs })).toMatchObject({ result: 'good' })
    expect(made({ createdAtMs, signedAtMs: createdAtMs - 1000 })).toMatchObject({ message: 'it is older than its key' })
    expect(made({ signatureExpiresAfterMs: dayMs })).toMatchObject({ result: 'invalid', message: 'it has expired' })
    expect(made({ signatureExpiresAfterMs: 400 * dayMs })).toMatchObject({ result: 'good' })
  })

  test('a signature of a key is none of a text', () => {
    expect(made({ type: 0x13 })).toMatchObject({ result: 'invalid', message: 'it is no signature of a text' })
  })

  test('a key that nothing binds to its name, and a subkey that was put below another key, are not believed', () => {
    const block = (armoured: string): Buffer =>
      Buffer.from(armoured.split('\n\n')[1]?.split('\n=')[0]?.split('-----')[0] ?? '', 'base64')
    const armour = (bytes: Buffer): string =>
      `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${bytes.toString('base64')}\n-----END PGP PUBLIC KEY BLOCK-----\n`
    const signer = openPgpSigner()
    const whole = block(signer.publicKey)
    // The first packet alone: the key without what it says of itself.
    const bare = whole.subarray(0, 6 + whole.readUInt32BE(2))
    expect(readKeyring({ bare: armour(bare) }).keys).toEqual([])
    const stolen = block(recorded('sub.asc'))
    const from = stolen.lastIndexOf(Buffer.from([0xb9, 0x01, 0x0d]))
    expect(from).toBeGreaterThan(0)
    const mixed = readKeyring({ mixed: armour(Buffer.concat([whole, stolen.subarray(from)])) })
    expect(mixed.keys.map(({ fingerprint }) => fingerprint.slice(-16))).toEqual([signer.keyId])
    // The thief binds it himself, but the subkey has never agreed.
    const thief = openPgpSigner({ claims: stolen.subarray(from + 3, from + 3 + 0x10d) })
    const keyring = readKeyring({ thief: thief.publicKey })
    expect(keyring.keys.map(({ fingerprint }) => fingerprint.slice(-16))).toEqual([thief.keyId])
    expect(verifySignature({ payload: text, signature: recorded('sub.sig') }, keyring, now).result).toBe('unknown')
  })
})

describe('ssh', () => {
  test.each([
    ['ssh_ed', 'ED25519', 'SHA256:yGSsFLiBlDrLvNHFqiuMqIaIMs9RRS2YREWylew2+JY'],
    ['ssh_rsa', 'RSA', 'SHA256:68vSUWwILInlCVU7sJkj/ZE4eKTiMYKXbiXXpD74LSs'],
    ['ssh_ec', 'ECDSA', 'SHA256:6vkOQtLoeYwfrwkC78UIJpFKu3Y9MC1EXzkdPsg0hRk'],
  ])('a signature by a key of ssh-keygen: %s', (name, cipher, keyId) => {
    expect(check(name, [])).toEqual({ result: 'good', cipher, keyId, names: [keyId] })
    expect(check(name, [], Buffer.from('other'))).toMatchObject({ result: 'invalid', keyId })
  })

  test('one that was made for another purpose does not count', () => {
    expect(check('ssh_other', [])).toMatchObject({ result: 'invalid', message: 'it was not made for git' })
  })
})

test('a key of absurd size is no good, and takes no time', () => {
  const field = (bytes: Buffer): Buffer => {
    const head = Buffer.alloc(4)
    head.writeUInt32BE(bytes.length)
    return Buffer.concat([head, bytes])
  }
  for (const size of [1, 40, 5_000, 100_000]) {
    const [e, n] = [Buffer.alloc(Math.min(size, 1000), 0x7f), Buffer.alloc(size, 0x7f)]
    const key = Buffer.concat([field(Buffer.from('ssh-rsa')), field(e), field(n)])
    const made = Buffer.concat([field(Buffer.from('rsa-sha2-512')), field(Buffer.alloc(size, 1))])
    const parts = [key, 'git', '', 'sha512', made].map((part) => field(Buffer.from(part)))
    const blob = Buffer.concat([Buffer.from('SSHSIG'), Buffer.from([0, 0, 0, 1]), ...parts])
    const signature = `-----BEGIN SSH SIGNATURE-----\n${blob.toString('base64')}\n-----END SSH SIGNATURE-----\n`
    expect(verifySignature({ payload: text, signature }, ringOf(), now).result).toMatch(/^(invalid|unreadable)$/)
  }
}, 5000)

test('whatever comes, there is a verdict, and none is good for another text', () => {
  const signatures = [openPgpSigner().sign(text), sshSigner().sign(text), recorded('rsa.sig'), recorded('ssh_rsa.sig')]
  const keyring = ringOf('rsa', 'ed')
  for (const signature of signatures) {
    const [head = '', ...lines] = signature.trim().split('\n')
    const last = lines.pop() ?? ''
    const bytes = Buffer.from(lines.filter((line) => !line.startsWith('=')).join(''), 'base64')
    const results = new Set<string>()
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 0x55
      for (const each of [changed, bytes.subarray(0, at)]) {
        const broken = `${head}\n\n${each.toString('base64')}\n${last}`
        verifySignature({ payload: text, signature: broken }, keyring, now)
        results.add(verifySignature({ payload: Buffer.from('other'), signature: broken }, keyring, now).result)
      }
    }
    expect(results).not.toContain('good')
  }
  expect(verifySignature({ payload: text, signature: '' }, keyring, now)).toMatchObject({ result: 'unreadable' })
  expect(readKeyring({ a: 'no key', b: recorded('rsa.asc').slice(0, 300) }).keys).toEqual([])
})
