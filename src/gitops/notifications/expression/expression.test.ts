// The language of conditions as a table: what expr-lang answers to the same.

import { describe, expect, test } from 'vitest'
import type { Application } from '#kinds'
import type { JsonObject } from '#objects'
import { environmentOf } from '../environment.ts'
import { evaluate } from './evaluate.ts'
import { ExpressionFault } from './fault.ts'
import { parseExpression } from './parser.ts'

const app = {
  metadata: { name: 'web', annotations: { 'example.com/version': 'v1' }, labels: { team: 'a' } },
  spec: { source: { repoURL: 'git@github.com:org/app.git' } },
  status: {
    sync: { status: 'Synced', revision: 'abc' },
    health: { status: 'Healthy' },
    conditions: [{ type: 'SyncError', message: 'no' }, { type: 'OrphanedResourceWarning' }],
    operationState: {
      phase: 'Succeeded',
      startedAt: '2026-01-01T00:00:00Z',
      operation: { info: [{ name: 'Reason', value: 'why' }] },
    },
  },
} as unknown as Application
const now = Date.UTC(2026, 0, 1, 0, 10)
const commits = new Map([['abc', { author: 'Ann', message: 'Hello', dateMs: now }]])
const environment: JsonObject = environmentOf({ app, now, commits })
const value = (text: string) => evaluate(parseExpression(text), environment)

describe('expressions', () => {
  test.each([
    ["app.status.sync.status == 'Synced'", true],
    ['app.status.sync.status != "Synced"', false],
    ["app.status.operationState.phase in ['Error', 'Failed']", false],
    ["app.status.operationState.phase not in ['Error']", true],
    ["not (app.status.sync.status in ['Synced'])", false],
    ["!(app.status.health.status == 'Degraded') and true", true],
    ["app.status.health.status == 'Degraded' || app.status.sync.revision == 'abc'", true],
    ["app.metadata.deletionTimestamp != nil ? 'gone' : 'here'", 'here'],
    ['app.metadata.annotations["example.com/version"]', 'v1'],
    ['app.status?.nothing?.of.this.kind', null],
    ['(app.status?.nothing?.of.this) ?? "other"', 'other'],
    ['app.status.nothing == nil', true],
    ["'team' in app.metadata.labels", true],
    ['1 + 2 * 3 ** 2 - -1', 20],
    ['7 % 4 >= 3', true],
    ["'b' > 'a' && 'ab' startsWith 'a' && 'ab' endsWith 'b' && 'ab' contains 'b'", true],
    ["app.metadata.name matches '^w.b$'", true],
    ['len(app.status.conditions) == 2', true],
    ["any(app.status.conditions, {.type == 'SyncError'})", true],
    ["all(app.status.conditions, {#.type startsWith 'Sync'})", false],
    ['map(filter(app.status.conditions, {.message != nil}), {.type})', ['SyncError']],
    ['app.status.conditions[-1].type', 'OrphanedResourceWarning'],
    ["{a: 1, 'b': [true]}.b[0]", true],
    ['upper("a") + `\\n`', 'A\\n'],
    ['time.Now().Sub(time.Parse(app.status.operationState.startedAt)).Minutes() >= 10', true],
    ['time.Parse(app.status.operationState.startedAt).Add(1 * time.Minute).Before(time.Now())', true],
    ['time.Now().Sub(time.Parse(app.status.operationState.startedAt)) > 5 * time.Minute', true],
    ['time.Now().Format(time.RFC3339)', '2026-01-01T00:10:00Z'],
    ['time.Now().Format(time.RFC1123)', 'Thu, 01 Jan 2026 00:10:00 UTC'],
    ['repo.FullNameByRepoURL(app.spec.source.repoURL)', 'org/app'],
    ['repo.RepoURLToHTTPS(app.spec.source.repoURL)', 'https://github.com/org/app.git'],
    ['repo.GetCommitMetadata(app.status.sync.revision).Author', 'Ann'],
    ["sync.GetInfoItem(app, 'Reason')", 'why'],
    ['strings.ToUpper(app.metadata.name)', 'WEB'],
    ['true', true],
  ])('%s is %j', (text, expected) => {
    expect(value(text)).toEqual(expected)
  })

  test.each([
    ['app.status.nothing.else', 'cannot fetch else from <nil>'],
    ['app.', 'a name is expected, not the end'],
    ['app.status ==', 'a value is expected, not the end'],
    ['a b', 'the end is expected, not "b"'],
    ['"open', 'unrecognized character "\\"" at 1'],
    ['nobody.x', 'unknown name nobody'],
    ['app and true', 'true or false is expected, not object'],
    ["1 + 'a'", 'a number is expected, not string'],
    ['app.metadata.name()', 'what is called is no function'],
    ['time.Now().Nope()', 'time.Time has no method Nope'],
    ["time.Parse('x')", 'parsing time "x" as RFC 3339 failed'],
    ["'a' matches '('", 'error parsing regexp: ('],
    [`${'('.repeat(200)}1${')'.repeat(200)}`, 'the expression is nested too deeply'],
    ['app.constructor.name', 'cannot fetch name from <nil>'],
  ])('%s: %s', (text, message) => {
    expect(() => value(text)).toThrow(new ExpressionFault(message))
  })
})
