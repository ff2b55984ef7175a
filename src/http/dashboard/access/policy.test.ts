// Policies as a table: what a line allows, what a denial takes away, and which lines are none.
import { describe, expect, it } from 'vitest'
import { builtInPolicy } from './built-in-policy.ts'
import { isAllowed, type MatchMode, readPolicy, together } from './policy.ts'

const may = (text: string, asked: string, mode: MatchMode = 'glob'): boolean => {
  const [subject = '', resource = '', action = '', object = ''] = asked.split(', ')
  return isAllowed(together(builtInPolicy, readPolicy(text, mode)), subject, { resource, action, object })
}

describe('policies', () => {
  it.each([
    ['p, ann, applications, sync, default/*, allow', 'ann, applications, sync, default/shop', true],
    ['p, ann, applications, sync, default/*, allow', 'ann, applications, sync, other/shop', false],
    ['p, ann, applications, sync, default/*, allow', 'ann, applications, get, default/shop', false],
    ['p, ann, applications, *, */*, allow', 'bob, applications, get, default/shop', false],
    // A star goes beyond slashes: of an action, and of an application in another namespace.
    [
      'p, ann, applications, action/apps/*, default/*, allow',
      'ann, applications, action/apps/Deployment/restart, default/a',
      true,
    ],
    ['p, ann, applications, get, default/*, allow', 'ann, applications, get, default/team/a', true],
    [
      'p, ann, applications, delete/*/Pod/*/*, default/a, allow',
      'ann, applications, delete//Pod/shop/web-1, default/a',
      true,
    ],
    ['p, ann, applications, delete/*/Pod/*/*, default/a, allow', 'ann, applications, delete, default/a', false],
    ['p, ann, applications, delete, default/a, allow', 'ann, applications, delete//Pod/shop/web-1, default/a', false],
    ['p, ann, applications, "{get,sync}", "default/[a-c]*", allow', 'ann, applications, sync, default/b1', true],
    // Roles of roles.
    ['g, ann, role:ops\ng, role:ops, role:admin', 'ann, projects, delete, shop', true],
    ['g, ann, role:ops\ng, role:ops, role:ann\ng, role:ann, role:ops', 'ann, projects, get, shop', false],
    ['g, ann, role:readonly', 'ann, logs, get, default/a', true],
    ['g, ann, role:readonly', 'ann, exec, create, default/a', false],
    ['', 'admin, applications, override, default/a', true],
    // A denial wins, wherever it stands.
    [
      'p, ann, applications, delete, default/live, deny\ng, ann, role:admin',
      'ann, applications, delete, default/live',
      false,
    ],
    [
      'g, ann, role:admin\np, role:admin, applications, delete, default/live, deny',
      'ann, applications, delete, default/live',
      false,
    ],
    [
      'p, ann, applications, delete, default/live, deny\ng, ann, role:admin',
      'ann, applications, delete, default/test',
      true,
    ],
    ['# p, ann, applications, get, */*, allow\n\n', 'ann, applications, get, default/a', false],
  ])('%s: %s is %s', (text, asked, expected) => {
    expect(may(text, asked)).toBe(expected)
  })

  it('may be regular expressions, which need not match the whole', () => {
    const text = 'p, ann, applications, (get|sync), ^default/(a|b)$, allow'
    expect(may(text, 'ann, applications, sync, default/a', 'regex')).toBe(true)
    expect(may(text, 'ann, applications, sync, default/ab', 'regex')).toBe(false)
    expect(may('p, ann, applications, get, default, allow', 'ann, applications, get, my-default/a', 'regex')).toBe(true)
    expect(may('g, ann, role:readonly', 'ann, clusters, get, https://a', 'regex')).toBe(true)
  })

  it.each([
    ['p, ann, applications, get, */*', /^line 1: .*expected: p, SUBJECT/],
    ['\np, ann, applications, get, */*, maybe', /^line 2: .*'allow' or 'deny'/],
    ['x, ann, role:admin', /a line begins with p or g/],
    ['g, ann', /expected: g, SUBJECT, ROLE/],
    ['p, ann, "applications, get, */*, allow', /a quotation mark/],
    ['p, ann, applications, get, [a, allow', /character class is not closed/],
  ])('%s is none', (text, message) => {
    expect(() => readPolicy(text, 'glob')).toThrow(message)
  })
})
