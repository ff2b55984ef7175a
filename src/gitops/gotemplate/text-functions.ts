// Sprig's functions on texts, and those that Argo CD adds (normalize, slugify, toYaml, fromYaml).

import { createHash } from 'node:crypto'
import { RE2JS } from 're2js'
import { parse, stringify } from 'yaml'
import { isJsonMap, type Json } from '#objects'
import { TemplateFault } from './fault.ts'
import { integerOf, listOf, type TemplateFunction, textOf, type Value } from './values.ts'

const maxRepeated = 100_000

const capitalized = (text: string): string =>
  text.replace(/(^|\s)(\S)/g, (_, space: string, letter: string) => `${space}${letter.toUpperCase()}`)

const words = (text: string): readonly string[] =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_.-]+/)
    .filter((word) => word !== '')

function expression(pattern: Value): RE2JS {
  try {
    return RE2JS.compile(textOf(pattern))
  } catch {
    throw new TemplateFault(`error parsing regexp: ${textOf(pattern)}`)
  }
}

const hashed = (algorithm: string) => (value: Value) => createHash(algorithm).update(textOf(value)).digest('hex')

/** Lower case, what no DNS name has made `-`, at most 253 characters. */
export function normalize(text: string): string {
  const clean = text
    .toLowerCase()
    .replace(/[^a-z\d.-]/g, '-')
    .slice(0, 253)
  return clean.replace(/^[-.]+|[-.]+$/g, '')
}

const defaultSlugLength = 50

/** Words joined by `-`; cut between words unless told otherwise. */
export function slugify(...given: readonly Value[]): string {
  const text = textOf(given.at(-1))
  const [length, smart] = given.slice(0, -1)
  const limit = length === undefined ? defaultSlugLength : integerOf(length)
  const slug = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replaceAll('&', 'and')
    .replaceAll('@', 'at')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-+|-+$/g, '')
  if (slug.length <= limit) return slug
  const cut = slug.slice(0, limit)
  if (smart === false) return cut.replace(/-+$/, '')
  const whole = slug[limit] === '-' ? cut : cut.slice(0, Math.max(cut.lastIndexOf('-'), 0))
  return (whole === '' ? cut : whole).replace(/-+$/, '')
}

const yamlOf = (value: Value): string =>
  stringify(value ?? null, { version: '1.1', lineWidth: 0, sortMapEntries: true }).trimEnd()

function fromYaml(value: Value): Json {
  try {
    return parse(textOf(value), { version: '1.1' }) as Json
  } catch (error) {
    throw new TemplateFault(`error parsing YAML: ${(error as Error).message.split('\n')[0]}`)
  }
}

function fromJson(value: Value): Json {
  try {
    return JSON.parse(textOf(value)) as Json
  } catch {
    throw new TemplateFault('error parsing JSON')
  }
}

const indented = (by: Value, text: Value): string => {
  const space = ' '.repeat(Math.min(Math.max(integerOf(by), 0), 1000))
  return space + textOf(text).replaceAll('\n', `\n${space}`)
}

const asList = (value: Value): readonly string[] => (Array.isArray(value) ? value.map(textOf) : [textOf(value)])

const plain: Readonly<Record<string, TemplateFunction>> = {
  upper: (text) => textOf(text).toUpperCase(),
  lower: (text) => textOf(text).toLowerCase(),
  title: (text) => capitalized(textOf(text)),
  untitle: (text) =>
    textOf(text).replace(/(^|\s)(\S)/g, (_, space: string, letter: string) => `${space}${letter.toLowerCase()}`),
  trim: (text) => textOf(text).trim(),
  trimAll: (marks, text) => trimmed(textOf(text), textOf(marks)),
  trimPrefix: (prefix, text) => withoutPrefix(textOf(text), textOf(prefix)),
  trimSuffix: (suffix, text) => {
    const [end, whole] = [textOf(suffix), textOf(text)]
    return end !== '' && whole.endsWith(end) ? whole.slice(0, -end.length) : whole
  },
  nospace: (text) => textOf(text).replace(/\s+/g, ''),
  repeat: (count, text) => {
    const [times, part] = [Math.max(integerOf(count), 0), textOf(text)]
    if (times * part.length > maxRepeated) throw new TemplateFault('the repeated text is too long')
    return part.repeat(times)
  },
  substr: (from, to, text) =>
    textOf(text).slice(Math.max(integerOf(from), 0), integerOf(to) < 0 ? undefined : integerOf(to)),
  trunc: (length, text) => {
    const [limit, whole] = [integerOf(length), textOf(text)]
    return limit < 0 ? whole.slice(limit) : whole.slice(0, limit)
  },
  abbrev: (width, text) => {
    const [limit, whole] = [integerOf(width), textOf(text)]
    return limit < 4 || whole.length <= limit ? whole : `${whole.slice(0, limit - 3)}...`
  },
  initials: (text) =>
    words(textOf(text))
      .map((word) => word[0] ?? '')
      .join(''),
  contains: (part, text) => textOf(text).includes(textOf(part)),
  hasPrefix: (prefix, text) => textOf(text).startsWith(textOf(prefix)),
  hasSuffix: (suffix, text) => textOf(text).endsWith(textOf(suffix)),
  replace: (old, next, text) => textOf(text).replaceAll(textOf(old), () => textOf(next)),
  quote: (...texts) =>
    texts
      .filter((text) => text !== undefined && text !== null)
      .map((text) => JSON.stringify(textOf(text)))
      .join(' '),
  squote: (...texts) =>
    texts
      .filter((text) => text !== undefined && text !== null)
      .map((text) => `'${textOf(text)}'`)
      .join(' '),
  cat: (...texts) => texts.map(textOf).join(' '),
  indent: (by, text) => indented(by, text),
  nindent: (by, text) => `\n${indented(by, text)}`,
  snakecase: (text) => words(textOf(text)).join('_').toLowerCase(),
  kebabcase: (text) => words(textOf(text)).join('-').toLowerCase(),
  camelcase: (text) =>
    words(textOf(text))
      .map((word) => capitalized(word.toLowerCase()))
      .join(''),
  plural: (one, many, count) => (integerOf(count) === 1 ? one : many),
  join: (separator, list) => asList(list).join(textOf(separator)),
  split: (separator, text) =>
    Object.fromEntries(
      textOf(text)
        .split(textOf(separator))
        .map((part, index) => [`_${index}`, part]),
    ),
  splitList: (separator, text) => textOf(text).split(textOf(separator)),
  splitn: (separator, count, text) => {
    const parts = textOf(text).split(textOf(separator))
    const limit = Math.max(integerOf(count), 1)
    const kept =
      parts.length <= limit ? parts : [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(textOf(separator))]
    return Object.fromEntries(kept.map((part, index) => [`_${index}`, part]))
  },
  toString: (value: Value) => textOf(value),
  toStrings: (list) => listOf(list).map(textOf),
  base: (path) => textOf(path).replace(/\/+$/, '').split('/').at(-1) || '.',
  dir: (path) => textOf(path).split('/').slice(0, -1).join('/') || '.',
  ext: (path) => /\.[^./]*$/.exec(textOf(path))?.[0] ?? '',
  clean: (path) =>
    textOf(path)
      .replace(/\/+/g, '/')
      .replace(/(.)\/$/, '$1'),
}

const withoutPrefix = (text: string, prefix: string): string =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text

function trimmed(text: string, marks: string): string {
  let [from, to] = [0, text.length]
  while (from < to && marks.includes(text[from] ?? '')) from++
  while (to > from && marks.includes(text[to - 1] ?? '')) to--
  return text.slice(from, to)
}

const coded: Readonly<Record<string, TemplateFunction>> = {
  b64enc: (text) => Buffer.from(textOf(text)).toString('base64'),
  b64dec: (text) => Buffer.from(textOf(text), 'base64').toString('utf8'),
  sha1sum: hashed('sha1'),
  sha256sum: hashed('sha256'),
  toJson: (value) => JSON.stringify(value ?? null),
  toRawJson: (value) => JSON.stringify(value ?? null),
  toPrettyJson: (value) => JSON.stringify(value ?? null, null, 2),
  fromJson: (text) => fromJson(text),
  toYaml: (value) => yamlOf(value),
  fromYaml: (text) => {
    const value: Json = fromYaml(text)
    return isJsonMap(value) ? value : {}
  },
  fromYamlArray: (text) => {
    const value = fromYaml(text)
    return Array.isArray(value) ? (value as Json) : []
  },
  regexMatch: (pattern, text) => expression(pattern).matcher(textOf(text)).find(),
  regexFind: (pattern, text) => {
    const matcher = expression(pattern).matcher(textOf(text))
    return matcher.find() ? (matcher.group() ?? '') : ''
  },
  regexReplaceAll: (pattern, text, replacement) =>
    expression(pattern)
      .matcher(textOf(text))
      .replaceAll(textOf(replacement).replace(/\$\{(\d+)\}/g, '$$$1')),
  regexReplaceAllLiteral: (pattern, text, replacement) =>
    expression(pattern).matcher(textOf(text)).replaceAll(textOf(replacement).replace(/[\\$]/g, '\\$&')),
  regexSplit: (pattern, text) => expression(pattern).split(textOf(text)),
  normalize: (text) => normalize(textOf(text)),
  slugify: (...given) => slugify(...given),
}

export const textFunctions: Readonly<Record<string, TemplateFunction>> = { ...plain, ...coded }
