// Keeps the house in order: who may import whom, what only world/ may touch, names and sizes of files.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { circlesIn } from './circles.ts'
import {
  banned,
  forbiddenNames,
  notLoadedWith,
  type Room,
  rooms,
  siblingFolders,
  stacked,
  withoutNode,
  withoutNodeExceptions,
} from './floors.ts'
import { importsOf, loadedWith } from './imports.ts'

const root = resolve(import.meta.dirname, '../..')
const src = join(root, 'src')
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  imports: Record<string, { source: string }>
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes('generated/'))
  .sort()
const production = files.filter((path) => !path.endsWith('.test.ts'))

const roomOf = (path: string): Room => {
  const match = rooms
    .filter((room) => path === room.path || path.startsWith(`${room.path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0]
  if (match === undefined) throw new Error(`src/${path} is in no room: add its folder to test/architecture/floors.ts`)
  return match
}

/** The file that an import leads to, below src/; undefined for packages and Node's own modules. */
function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) {
    const entry = packageJson.imports[specifier]
    return entry === undefined ? `missing:${specifier}` : relative('src', entry.source)
  }
  return specifier.startsWith('.') ? relative(src, resolve(src, dirname(path), specifier)) : undefined
}

function faultOf(path: string, specifier: string): string | undefined {
  const target = targetOf(path, specifier)
  if (target === undefined) return undefined
  if (target.startsWith('missing:'))
    return `src/${path} imports ${specifier}, which package.json "imports" does not list`
  const from = roomOf(path)
  const to = roomOf(target)
  if (from === to) {
    const folder = siblingFolders.find((name) => path.startsWith(`${name}/`) && target.startsWith(`${name}/`))
    if (folder === undefined) return undefined
    const sibling = (file: string): string | undefined => {
      const rest = file.slice(folder.length + 1)
      return rest.includes('/') ? rest.split('/')[0] : undefined
    }
    const [mine, other] = [sibling(path), sibling(target)]
    if (mine === undefined || other === undefined || mine === other) return undefined
    if (folder === 'kinds') return undefined
    return `${folder}/${mine} may not import ${folder}/${other}: siblings meet only through API objects (src/${path})`
  }
  if (!specifier.startsWith('#'))
    return `src/${path} reaches into another room by ${specifier}: import its face (#${to.path})`
  if (from.only !== undefined && !from.only.includes(to.path))
    return `src/${path} may not import ${to.path}: ${from.path} sees only ${from.only.join(', ')}`
  if (to.floor > from.floor)
    return `src/${path} (floor ${from.floor}) may not import ${to.path} (floor ${to.floor}): imports go down`
  if (to.floor === from.floor && !(from.also ?? []).includes(to.path))
    return `src/${path} may not import ${to.path}: both are on floor ${from.floor} and rooms of one floor meet through the contract`
  return undefined
}

/** Undefined for a file that is not in src. */
const isAlone = (file: string): boolean | undefined =>
  file.startsWith(src) ? loadedWith(readFileSync(file, 'utf8')).length === 0 : undefined

describe('architecture', () => {
  it('imports go down the floors and through the faces of rooms', () => {
    const faults = production.flatMap((path) =>
      importsOf(readFileSync(join(src, path), 'utf8')).flatMap((specifier) => faultOf(path, specifier) ?? []),
    )
    expect(faults).toEqual([])
  })

  it('a circle of imports is found, however long', () => {
    const imports = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', []],
      ['e', ['a']],
    ])
    expect(circlesIn(imports)).toEqual([['a', 'b', 'c']])
  })

  it('files do not import one another in circles', () => {
    const imports = new Map(
      production.map((path) => [
        path,
        importsOf(readFileSync(join(src, path), 'utf8'))
          .filter((specifier) => specifier.startsWith('.'))
          .flatMap((specifier) => targetOf(path, specifier) ?? []),
      ]),
    )
    const faults = circlesIn(imports).map(
      (circle) => `${circle.map((path) => `src/${path}`).join(', ')}: give what they share a file of its own`,
    )
    expect(faults).toEqual([])
  })

  it('folders of a stacked room stand on those before them', () => {
    const faults = Object.entries(stacked).flatMap(([room, folders]) => {
      const placeOf = (path: string): number => {
        const [folder, file] = path.slice(room.length + 1).split('/')
        return file === undefined ? folders.length : folders.indexOf(folder ?? '')
      }
      return production
        .filter((path) => path.startsWith(`${room}/`))
        .flatMap((path) => {
          if (placeOf(path) < 0)
            return [`src/${path}: give its folder a place in "stacked" of test/architecture/floors.ts`]
          return importsOf(readFileSync(join(src, path), 'utf8'))
            .filter((specifier) => specifier.startsWith('.'))
            .flatMap((specifier) => targetOf(path, specifier) ?? [])
            .filter((target) => placeOf(target) > placeOf(path))
            .map((target) => `src/${path} may not import src/${target}: that folder stands above its own`)
        })
    })
    expect(faults).toEqual([])
  })

  it('what a command does not need is not loaded with it', () => {
    const faults = Object.entries(notLoadedWith).flatMap(([start, rooms]) => {
      const loaded = new Map([[start, '']])
      for (const path of loaded.keys()) {
        for (const specifier of loadedWith(readFileSync(join(src, path), 'utf8'))) {
          const target = targetOf(path, specifier)
          if (target !== undefined && !loaded.has(target) && production.includes(target)) loaded.set(target, path)
        }
      }
      return [...loaded]
        .filter(([path, by]) => {
          const isOf = (file: string): boolean => rooms.some((room) => file.startsWith(`${room}/`))
          return isOf(path) && !isOf(by)
        })
        .map(([path, by]) => `src/${path} is loaded with src/${start}, by src/${by}: import it where it is used`)
    })
    expect(faults).toEqual([])
  })

  it('of src the page loads only files that load nothing themselves', () => {
    const page = join(root, 'dashboard/src')
    const faults = readdirSync(page, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .flatMap((path) =>
        loadedWith(readFileSync(join(page, path), 'utf8'))
          .filter(
            (specifier) => specifier.startsWith('#') || isAlone(resolve(page, dirname(path), specifier)) === false,
          )
          .map(
            (specifier) => `dashboard/src/${path} imports ${specifier}: take types of it, or a file without imports`,
          ),
      )
    expect(faults).toEqual([])
  })

  it('rooms that also run in a browser use no Node built-ins', () => {
    const faults = production
      .filter(
        (path) => withoutNode.some((room) => path.startsWith(`${room}/`)) && !withoutNodeExceptions.includes(path),
      )
      .filter((path) =>
        importsOf(readFileSync(join(src, path), 'utf8')).some((specifier) => specifier.startsWith('node:')),
      )
    expect(faults).toEqual([])
  })

  it('time, chance, environment and console are reached through world/', () => {
    const faults = production.flatMap((path) =>
      readFileSync(join(src, path), 'utf8')
        .split('\n')
        .flatMap((line, i) =>
          banned
            .filter(
              (rule) =>
                rule.pattern.test(line.replace(/\/\/.*$|^\s*\*.*$/, '')) &&
                !rule.except.some((room) => path.startsWith(room)),
            )
            .map((rule) => `src/${path}:${i + 1}: use ${rule.use}`),
        ),
    )
    expect(faults).toEqual([])
  })

  it('files are named after what they hold, open with a header and stay readable', () => {
    const faults = production.flatMap((path) => {
      const text = readFileSync(join(src, path), 'utf8')
      const lines = text.split('\n').length
      return [
        ...(path.split('/').some((part) => forbiddenNames.test(part))
          ? [`src/${path}: name it after the thing it is about`]
          : []),
        ...(/^(#!.*\n)?(\/\/|\/\*)/.test(text)
          ? []
          : [`src/${path}: open with one to eight lines on what it decides or keeps`]),
        ...(lines > 300 ? [`src/${path}: ${lines} lines; split it by idea (limit 300)`] : []),
        ...(/\b(FIXME|XXX)\b/.test(text) ? [`src/${path}: finish it, or file an issue`] : []),
      ]
    })
    expect(faults).toEqual([])
  })
})
