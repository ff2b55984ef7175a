import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { ExecCommand } from '#client'
import { ExecSignIn } from './exec-sign-in.ts'

const folder = mkdtempSync(join(tmpdir(), 'homeostat-sign-in-'))
afterAll(() => rmSync(folder, { recursive: true }))

const never = new AbortController().signal
const apiVersion = 'client.authentication.k8s.io/v1'
let now = 0
beforeEach(() => {
  now = Date.parse('2026-01-01T00:00:00Z')
  writeFileSync(join(folder, 'runs'), '')
})
const at = (seconds: number): string => new Date(now + seconds * 1000).toISOString()
const runs = (): number => readFileSync(join(folder, 'runs'), 'utf8').length

/** A command that prints a text, after it has noted that it ran. */
function by(script: string, more: Partial<ExecCommand> = {}): ExecSignIn {
  const words = ['-c', `printf x >> "$NOTES"; ${script}`]
  const exec = { apiVersion, command: 'sh', arguments: words, environment: { NOTES: join(folder, 'runs') }, ...more }
  return new ExecSignIn({ exec, environment: { PATH: process.env['PATH'], HOME: folder }, now: () => now })
}

const printing = (status: object): string => {
  writeFileSync(join(folder, 'credential'), JSON.stringify({ apiVersion, kind: 'ExecCredential', status }))
  return `cat ${join(folder, 'credential')}`
}

describe('signing in by a command', () => {
  it('runs it once for all requests, until its credential is about to end', async () => {
    const signIn = by(printing({ token: 'first', expirationTimestamp: at(600) }))
    const all = await Promise.all([1, 2, 3].map(() => signIn.credential(never)))
    expect(all).toEqual([{ token: 'first' }, { token: 'first' }, { token: 'first' }])
    expect(signIn.secrets).toEqual(['first'])
    now += 530_000
    await signIn.credential(never)
    expect(runs()).toBe(1)
    printing({ token: 'second' })
    now += 20_000
    expect(await signIn.credential(never)).toEqual({ token: 'second' })
    now += 10_000_000
    await signIn.credential(never)
    expect(runs()).toBe(2)
  })

  it('runs it again where the server has refused what it gave, but not at once for what has just come', async () => {
    const signIn = by(printing({ token: 'old' }))
    const first = await signIn.credential(never)
    printing({ token: 'new' })
    signIn.refused(first)
    expect(await signIn.credential(never)).toBe(first)
    now += 6000
    expect(await signIn.credential(never)).toEqual({ token: 'new' })
    expect(runs()).toBe(2)
  })

  it('tells the command of the cluster and that nobody is there, and shows the environment of whoever started it', async () => {
    const script = `printf '{"apiVersion":"${apiVersion}","kind":"ExecCredential","status":{"token":"%s"}}' "$(printf '%s' "$KUBERNETES_EXEC_INFO" | od -An -tx1 | tr -d ' \\n')-$HOME"`
    const { token = '' } = await by(script, { cluster: { server: 'https://east' } }).credential(never)
    const [hex = '', home] = token.split('-', 1).concat(token.slice(token.indexOf('-') + 1))
    expect(JSON.parse(Buffer.from(hex, 'hex').toString('utf8'))).toEqual({
      apiVersion,
      kind: 'ExecCredential',
      spec: { cluster: { server: 'https://east' }, interactive: false },
    })
    expect(home).toBe(folder)
  })

  it('gives certificates with their keys', async () => {
    const pem = (what: string): string => `-----BEGIN ${what}-----\n`
    const status = { clientCertificateData: pem('CERTIFICATE'), clientKeyData: pem('PRIVATE KEY') }
    expect(await by(printing(status)).credential(never)).toEqual({
      clientCertificate: pem('CERTIFICATE'),
      clientKey: pem('PRIVATE KEY'),
    })
    await expect(by(printing({ clientKeyData: pem('KEY') })).credential(never)).rejects.toThrow('a key without')
  })

  it.each([
    ['echo hidden-token', 'what it printed is no JSON'],
    [`printf '{"kind":"Secret","token":"hidden-token"}'`, 'is no ExecCredential: see kind'],
    [
      `printf '{"apiVersion":"${apiVersion}","kind":"ExecCredential","status":{}}'`,
      'neither a token nor a certificate',
    ],
    ['echo "log in again, $WHO is not signed in" >&2; exit 1', 'log in again, ****** is not signed in'],
    ['exit 3', 'it failed with exit status 3'],
    ['yes', 'the output is larger than'],
  ])('says what went wrong and nothing secret: %s', async (script, message) => {
    const environment = { NOTES: join(folder, 'runs'), WHO: 'hidden-token' }
    const failing = by(script, { environment }).credential(never)
    await expect(failing).rejects.toThrow(`signing in by the command sh failed: `)
    await expect(failing).rejects.toThrow(message)
    await expect(failing).rejects.not.toThrow('hidden-token')
  })

  it('does not run a failing command for every request, and tells how to get one that is not there', async () => {
    const failing = by('exit 1')
    for (let i = 0; i < 5; i++) await failing.credential(never).catch(() => undefined)
    expect(runs()).toBe(1)
    now += 6000
    await failing.credential(never).catch(() => undefined)
    expect(runs()).toBe(2)
    const missing = by('', { command: 'no-such-program', installHint: 'Get it there' })
    await expect(missing.credential(never)).rejects.toThrow('no such program on PATH. Get it there')
  })

  it('lets a request end while the command is still running', async () => {
    const request = new AbortController()
    const signIn = by('sleep 2')
    const waiting = signIn.credential(request.signal)
    request.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })
})
