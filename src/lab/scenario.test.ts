import { describe, expect, it } from 'vitest'
import { roughly } from './duration.ts'
import { fieldAt, fieldText } from './object-path.ts'
import { parseScenario, printScenario } from './scenario.ts'
import { byNumberedName } from './table.ts'
import { parseWords } from './words.ts'

const text = `# A comment.
apply
  kind: Pod
    nested: 1

  more: 2
advance 5s
----
pod/a created
and more

# Another.
show pods
----

# The end.
`

describe('transcripts', () => {
  it('keep comments, commands with their bodies, and what is expected', () => {
    const { steps, tail } = parseScenario('a.txt', text)
    expect(steps.map(({ calls }) => calls)).toEqual([
      [
        { line: 2, text: 'apply', body: 'kind: Pod\n  nested: 1\n\nmore: 2\n' },
        { line: 7, text: 'advance 5s', body: '' },
      ],
      [{ line: 13, text: 'show pods', body: '' }],
    ])
    expect(steps.map(({ expected }) => expected)).toEqual([['pod/a created', 'and more'], []])
    expect(tail).toEqual(['# The end.'])
  })

  it('are printed as they were read', () => {
    const scenario = parseScenario('a.txt', text)
    const outputs = scenario.steps.map(({ expected }) => expected ?? [])
    expect(printScenario(scenario, outputs)).toBe(text)
  })

  it('name file and line of what is wrong', () => {
    expect(() => parseScenario('a.txt', '\n  lost: body\n----\n')).toThrow('a.txt:2: an indented line')
    expect(() => parseScenario('a.txt', '# nothing\n----\n')).toThrow('a.txt:2: there is no command')
  })
})

describe('words', () => {
  it('know quotes and options', () => {
    const { words, options } = parseWords(
      `patch deployment/web '{spec: {replicas: 1}}' -n shop -A --as=cost-saver --force`,
    )
    expect(words).toEqual(['deployment/web', '{spec: {replicas: 1}}'])
    expect([...options]).toEqual([
      ['namespace', 'shop'],
      ['all-namespaces', 'true'],
      ['as', 'cost-saver'],
      ['force', 'true'],
    ])
    expect(() => parseWords('show pods -n')).toThrow('-n wants a value')
  })
})

describe('texts that stay the same', () => {
  it('round durations', () => {
    expect([900, 12_000, 341_000, 3_900_000, 30_000_000].map(roughly)).toEqual([
      'under 20s',
      'under 20s',
      '5m40s',
      '1h5m',
      '8h20m',
    ])
  })

  it('order numbered names', () => {
    expect(['web-p10', 'web-p2', 'web', 'app-p1'].sort(byNumberedName)).toEqual(['app-p1', 'web', 'web-p2', 'web-p10'])
  })

  it('read fields by path', () => {
    const object = { spec: { a: [{ name: 'x', v: 1 }] }, status: { conditions: [{ type: 'Ready', status: 'True' }] } }
    expect(fieldText(fieldAt(object, 'spec.a.0.v'))).toBe('1')
    expect(fieldText(fieldAt(object, 'spec.a.[x].v'))).toBe('1')
    expect(fieldText(fieldAt(object, 'status.conditions.Ready.status'))).toBe('True')
    expect(fieldText(fieldAt(object, 'spec.missing.deep'))).toBe('<none>')
  })
})
