import { describe, expect, test } from 'vitest'
import { moduleSteps, moduleUrl, parseGitModules } from './git-modules.ts'

const parsed = (text: string) => Object.fromEntries(parseGitModules(Buffer.from(text)))

describe('.gitmodules', () => {
  test('names submodules by path; the last value counts, and other keys do not', () => {
    const text = `
[core]
  path = nowhere
[submodule "lib"] ; the library
\tpath = "libs/a b" # here
\tURL = ../lib.git
\tbranch = main
\tupdate = !touch /tmp/owned
[submodule "quo\\"te"]
  path = x/
  url = one
  url = https://git.example/two
[submodule "half"]
  path = y
`
    expect(parsed(text)).toEqual({
      'libs/a b': { name: 'lib', url: '../lib.git' },
      x: { name: 'quo"te', url: 'https://git.example/two' },
    })
  })

  test.each(['', '\0\0', '[submodule "a"', 'path = x', '[submodule "a"]\npath\nurl ='])('%j names none', (text) => {
    expect(parsed(text)).toEqual({})
  })

  test('names are no properties of objects', () => {
    expect(parsed('[submodule "__proto__"]\npath = constructor\nurl = https://git.example/a')).toEqual({
      constructor: { name: '__proto__', url: 'https://git.example/a' },
    })
  })

  test('long lines take no time', () => {
    const slashes = '/'.repeat(200_000)
    expect(parsed(`[submodule "a"]\n${' '.repeat(50_000)}x\npath = ${slashes}x\nurl = ${slashes}`)).toEqual({})
  })

  test('too many are refused', () => {
    const text = Array.from({ length: 300 }, (_, each) => `[submodule "${each}"]`).join('\n')
    expect(() => parsed(text)).toThrow(/more than 200 submodules/)
    expect(() => parsed('#'.repeat(600_000))).toThrow(/larger than/)
  })
})

describe('the address of a submodule', () => {
  const parent = 'https://git.example/team/app.git'
  test.each([
    ['../lib.git', 'https://git.example/team/lib.git'],
    ['../../other/lib', 'https://git.example/other/lib'],
    ['./inner', 'https://git.example/team/app.git/inner'],
    ['https://else.example/lib', 'https://else.example/lib'],
    ['git@else.example:lib.git', 'git@else.example:lib.git'],
  ])('%s', (url, expected) => {
    expect(moduleUrl(url, parent)).toBe(expected)
  })

  test('is relative to ssh too', () => {
    expect(moduleUrl('../lib.git', 'ssh://git@git.example/team/app.git')).toBe('ssh://git@git.example/team/lib.git')
  })

  test.each([
    ['../../../../lib', /leads out of https:\/\/git\.example/],
    ['/etc/secrets', /is a path of this machine/],
    ['file:///etc', /is a path of this machine/],
    ['ext::sh -c id', /is not a repository URL/],
    ['--upload-pack=id', /is not a repository URL/],
    ['ssh://-oProxyCommand=id/x', /is not a valid ssh URL/],
  ])('%s is refused', (url, message) => {
    expect(() => moduleUrl(url, parent)).toThrow(message)
  })

  test('that is relative to nothing is told', () => {
    expect(() => moduleUrl('../lib', undefined)).toThrow(/has no remote named origin/)
  })
})

test('the folder of a submodule stays among those of its repository', () => {
  expect(moduleSteps('libs/a')).toEqual(['libs', 'a'])
  for (const name of ['..', '../x', 'a/../../b', '/etc', 'a//b', 'a\\b', '.', ''])
    expect(moduleSteps(name)).toBeUndefined()
})
