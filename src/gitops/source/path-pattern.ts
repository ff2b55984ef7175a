// Patterns of paths: `*` and `?` stay within a folder, `**` crosses folders, `[a-z]` and `{a,b}` as usual. Matched in linear time.

import { RE2JS } from 're2js'

export class PatternFault extends Error {
  override readonly name = 'PatternFault'
}

export function compilePathPattern(pattern: string): (path: string) => boolean {
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(`^${toExpression(pattern.replace(/^\/+/, ''))}$`)
  } catch {
    throw new PatternFault(`syntax error in pattern ${JSON.stringify(pattern)}`)
  }
  return (path) => compiled.matcher(path).find()
}

const token = /\*\*\/|\*\*|\*|\?|\[[!^]?[^\]]+\]|[{},]|\\.|[^*?[{},\\]+|[[\\]/g

function toExpression(pattern: string): string {
  let depth = 0
  return (pattern.match(token) ?? [])
    .map((part) => {
      if (part === '**/') return '(?:[^/]+/)*'
      if (part === '**') return '.*'
      if (part === '*') return '[^/]*'
      if (part === '?') return '[^/]'
      if (part.startsWith('[') && part.length > 1) return part.replace(/^\[!/, '[^').replace(/\\/g, '\\\\')
      if (part === '{') {
        depth++
        return '(?:'
      }
      if (part === '}') return depth-- > 0 ? ')' : '\\}'
      if (part === ',') return depth > 0 ? '|' : ','
      return escaped(part.length === 2 && part.startsWith('\\') ? part.slice(1) : part)
    })
    .join('')
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
