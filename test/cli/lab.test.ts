// `homeostat lab`: scenarios from files, what it says when they are wrong, and how it ends.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runLine } from '../support/command-line.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'homeostat-lab-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const lab = (...args: readonly string[]) => runLine(['lab', ...args], { cwd: folder })

const write = (text: string): void => writeFileSync(join(folder, 'mine.txt'), text)

describe('lab run', () => {
  it('plays a file, and writes what happened into it', async () => {
    write('# Mine.\nshow pods\n')
    expect(await lab('run', 'mine.txt')).toMatchObject({ code: 1, err: expect.stringContaining('+ no pods') })
    expect(await lab('run', 'mine.txt', '--rewrite')).toMatchObject({ code: 0 })
    expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('# Mine.\nshow pods\n----\nno pods\n')
    expect(await lab('run', 'mine.txt')).toMatchObject({ code: 0, err: '' })
  })

  it.each([
    ['show podz\n', /mine\.txt:1: show podz: no kind is called podz/],
    ['\n\nuntil pod/x exists within 5s\n', /mine\.txt:3: until pod\/x exists within 5s: not within 5s/],
    ['', /mine\.txt:1: there is no command in this file/],
  ])('names file and line: %j', async (text, message) => {
    write(text)
    const { code, err } = await lab('run', 'mine.txt')
    expect(code).toBe(3)
    expect(err).toMatch(message)
  })

  it('wants a file', async () => {
    expect(await lab('run', 'none.txt')).toMatchObject({
      code: 3,
      err: expect.stringContaining('cannot read none.txt: it does not exist'),
    })
    expect(await lab('run', '.')).toMatchObject({ code: 3, err: expect.stringContaining('it is a folder') })
  })

  it('plays the example of the manual', async () => {
    const manual = readFileSync(resolve('docs/lab.md'), 'utf8').split('## A scenario of your own')[1] ?? ''
    const example = /\n\n((?: {4}.*\n|\n)+)/.exec(manual)?.[1] ?? ''
    write(example.replace(/^ {4}/gm, ''))
    const { out, code } = await lab('run', 'mine.txt')
    expect(code).toBe(1)
    expect(out).toMatch(/api-r1-p1 +0\/1 +Running/)
    expect(out).toMatch(/deployment\/api available: after 30s/)
    expect(out).toMatch(/node-. +NotReady/)
  })
})

it('lab list tells scenarios by their first sentence', async () => {
  write('# Pods come. And go.\nshow pods\n')
  expect(await lab('list', '.')).toMatchObject({ code: 0, out: 'mine.txt  Pods come.' })
  expect(await lab('list', 'none')).toMatchObject({ code: 3 })
})

it('lab commands tells what a line can be', async () => {
  const { out } = await lab('commands')
  expect(out).toContain('advance DURATION\n')
})
