import { execFileSync } from 'node:child_process'
import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GivenFile } from '#gitops/source'
import { readTar } from './tar.ts'

const long = `deep/${'a-long-name-'.repeat(12)}/${'x'.repeat(120)}.yaml`
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'homeostat-tar-'))
  mkdirSync(join(folder, long, '..'), { recursive: true })
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(folder, '.git/config'), 'secret')
  writeFileSync(join(folder, 'empty'), '')
  writeFileSync(join(folder, 'plain.yaml'), 'x'.repeat(1000))
  writeFileSync(join(folder, 'ümläut'), 'u')
  writeFileSync(join(folder, long), 'long')
  writeFileSync(join(folder, 'run.sh'), 'run')
  chmodSync(join(folder, 'run.sh'), 0o755)
  symlinkSync('plain.yaml', join(folder, 'link'))
  linkSync(join(folder, 'plain.yaml'), join(folder, 'deep/same'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const shown = (files: readonly GivenFile[]) =>
  Object.fromEntries(
    files.map((file) => [
      file.path,
      'target' in file ? `-> ${file.target}` : `${Buffer.from(file.bytes)}${file.executable === true ? ' (x)' : ''}`,
    ]),
  )

describe('archives of tar', () => {
  test.each(['gnu', 'pax', 'v7', 'ustar'])('in the format %s', (format) => {
    const isOld = format === 'v7' || format === 'ustar'
    const archive = execFileSync('tar', [`--format=${format}`, ...(isOld ? ['--exclude=*long*'] : []), '-c', '.'], {
      cwd: folder,
      maxBuffer: 10 * 1024 * 1024,
    })
    const files = shown(readTar(archive))
    // Of two names of one file tar stores whichever it meets first.
    const same = [files['plain.yaml'], files['deep/same']]
    expect(same).toContain('x'.repeat(1000))
    expect(same.filter((text) => text?.startsWith('-> '))).toHaveLength(1)
    expect(files).toMatchObject({
      empty: '',
      ümläut: 'u',
      'run.sh': 'run (x)',
      link: '-> plain.yaml',
      ...(isOld ? {} : { [long]: 'long' }),
    })
    expect(Object.keys(files).filter((path) => path.includes('.git'))).toEqual([])
  })
})

/** One entry, as hostile as one likes. */
function entry(
  name: string,
  options: { type?: string; body?: string; size?: string; target?: string; sum?: string } = {},
) {
  const { type = '0', body = '', size = body.length.toString(8).padStart(11, '0'), target = '', sum } = options
  const header = Buffer.alloc(512)
  header.write(name, 0, 100)
  header.write('0000644\0', 100)
  header.write(size, 124)
  header.write(type, 156)
  header.write(target, 157, 100)
  header.write('ustar\x0000', 257)
  header.write('        ', 148)
  const total = header.reduce((a, b) => a + b, 0)
  header.write(sum ?? `${total.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, Buffer.from(body), Buffer.alloc((512 - (body.length % 512)) % 512)])
}

describe('what is no archive of files is refused', () => {
  test.each([
    ['a path that leads out', entry('../x'), /"\.\.\/x" is no path within the archive/],
    ['a path that leads out later', entry('a/../../x'), /is no path within/],
    ['an absolute path', entry('/etc/passwd'), /"\/etc\/passwd" is no path within/],
    ['a path of another system', entry('a\\b'), /is no path within/],
    ['a device', entry('dev', { type: '3' }), /dev is neither a file, a folder nor a link \(type "3"\)/],
    ['a sparse file', entry('s', { type: 'S' }), /is neither a file/],
    ['a hard link that leads out', entry('h', { type: '1', target: '../../etc/passwd' }), /is no path within/],
    ['a wrong checksum', entry('a', { sum: '0000001\0' }), /wrong checksum/],
    ['a size that is none', entry('a', { size: 'zzz' }), /"zzz" for a number/],
    ['a size in binary', entry('a', { size: '\x80\x00\x00\x01' }), /.*/],
    ['a file that is not all there', entry('a', { size: '00000010000' }), /ends in the middle of a file/],
    ['a pax header without end', entry('p', { type: 'x', body: '99 path=a\n' }), /pax header that cannot be read/],
    ['a pax header that goes nowhere', entry('p', { type: 'x', body: '0 path=a\n' }), /pax header that cannot be read/],
    ['a pax size that is none', entry('p', { type: 'x', body: '11 size=-1\n' }), /pax header that cannot be read/],
    [
      'a long name that leads out',
      Buffer.concat([entry('l', { type: 'L', body: '../x\0' }), entry('a')]),
      /"\.\.\/x" is no path within/,
    ],
    ['text', Buffer.from('hello '.repeat(200)), /wrong checksum|for a number/],
  ])('%s', (_case, archive, message) => {
    expect(() => readTar(archive)).toThrow(
      expect.objectContaining({ name: 'TarFault', message: expect.stringMatching(message) }),
    )
  })

  test('what stands after the end is none of it', () => {
    expect(shown(readTar(Buffer.concat([entry('a', { body: 'x' }), Buffer.alloc(1024), entry('../b')])))).toEqual({
      a: 'x',
    })
  })
})
