import { describe, expect, it } from 'vitest'
import { matchesFields, parseFieldSelector } from './field-selector.ts'
import { matchesLabels, selectorOf, selectorOfLabels } from './label-selector.ts'
import { parseLabelSelector } from './parse-labels.ts'
import { formatSelector, matchesSelector } from './requirement.ts'

const things = {
  a: { env: 'dev' },
  b: { env: 'prod', odd: 'yes' },
  c: { env: 'test' },
  d: { num: '5' },
  e: { in: 'x' },
}

const selected = (text: string) =>
  Object.entries(things)
    .filter(([, labels]) => matchesSelector(parseLabelSelector(text), labels))
    .map(([name]) => name)
    .join('')

describe('label selectors as text', () => {
  it.each([
    ['', 'abcde'],
    ['env=prod', 'b'],
    ['env == prod', 'b'],
    ['env!=prod', 'acde'],
    ['env in (dev, test)', 'ac'],
    ['env notin (dev,test)', 'bde'],
    ['odd', 'b'],
    ['!odd', 'acde'],
    ['env=prod,odd!=yes', ''],
    ['env in (prod),!odd', ''],
    ['num>4', 'd'],
    ['num<5', ''],
    ['env in (dev,,test)', 'ac'],
    ['in=x', 'e'],
    ['in in (in,x)', 'e'],
    ['env in ()', ''],
    ['env=', ''],
  ])('%j selects %s', (text, names) => {
    expect(selected(text)).toBe(names)
  })

  it.each([
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['==x', "found '==', expected: !, identifier, or 'end of string'"],
    ['a=bad value', "found 'value', expected: ',' or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['env gt 1', "unable to parse requirement: found 'gt', expected: in, notin, =, ==, !=, gt, lt"],
    [
      'num>x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      'a$=b',
      'unable to parse requirement: <nil>: Invalid value: "a$": name part must consist of alphanumeric characters',
    ],
    [
      'a=b$',
      'unable to parse requirement: values[0][a]: Invalid value: "b$": a valid label must be an empty string or consist',
    ],
  ])('%j is refused', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message)
  })

  it('are written as Kubernetes writes them', () => {
    const text = '!old,app=a,tier in (x,y),z,n>3'
    expect(formatSelector(parseLabelSelector(text))).toBe('app=a,n>3,!old,tier in (x,y),z')
    expect(formatSelector(selectorOf({ matchLabels: { b: '1', a: '2' } }))).toBe('a=2,b=1')
  })
})

describe('label selectors in objects', () => {
  it('match by labels and expressions', () => {
    const selector = {
      matchLabels: { app: 'a' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['x', 'y'] },
        { key: 'old', operator: 'DoesNotExist' },
      ],
    }
    expect(matchesLabels(selector, { app: 'a', tier: 'y' })).toBe(true)
    expect(matchesLabels(selector, { app: 'a', tier: 'y', old: '' })).toBe(false)
    expect(matchesLabels(selector, undefined)).toBe(false)
  })

  it('select nothing if there is none, and everything if it is empty', () => {
    expect(matchesLabels(undefined, { a: 'b' })).toBe(false)
    expect(matchesLabels({}, { a: 'b' })).toBe(true)
    expect(matchesSelector(selectorOfLabels({ a: 'b' }), { a: 'b', c: 'd' })).toBe(true)
  })

  it('are refused when they are not valid', () => {
    expect(() => selectorOf({ matchExpressions: [{ key: 'a', operator: 'Near' }] })).toThrow(
      '"Near" is not a valid label selector operator',
    )
    expect(matchesLabels({ matchExpressions: [{ key: 'a', operator: 'Near' }] }, {})).toBe(false)
  })
})

describe('field selectors', () => {
  it('are lists of terms', () => {
    expect(parseFieldSelector('metadata.name=a,status.phase!=Running,x==b\\,c')).toEqual([
      { field: 'metadata.name', operator: '=', value: 'a' },
      { field: 'status.phase', operator: '!=', value: 'Running' },
      { field: 'x', operator: '=', value: 'b,c' },
    ])
    expect(parseFieldSelector('')).toEqual([])
    const fields: Record<string, string> = { 'metadata.name': 'a' }
    const read = (field: string) => fields[field] ?? ''
    expect(matchesFields(parseFieldSelector('metadata.name=a,spec.x='), read)).toBe(true)
    expect(matchesFields(parseFieldSelector('metadata.name!=a'), read)).toBe(false)
  })

  it.each([
    ['spec.x', "invalid selector: 'spec.x'; can't understand 'spec.x'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
  ])('%j is refused', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message)
  })
})
