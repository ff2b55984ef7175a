// Says a YAML syntax error in the words of go-yaml, which kubectl users know. go-yaml counts lines from zero where its
// parser complains and from one where its scanner does, and names no line for the first.

import type { LineCounter, YAMLParseError } from 'yaml'
import { SyntaxFault } from './parsed.ts'

interface Fault {
  readonly says: string
  readonly by: 'parser' | 'scanner'
}

const parser = (says: string): Fault => ({ says, by: 'parser' })
const scanner = (says: string): Fault => ({ says, by: 'scanner' })

/** The first error of a document, as go-yaml would report it. */
export function yamlFault(error: YAMLParseError, text: string, lines: LineCounter): SyntaxFault {
  const { says, by } = faultOf(error, text)
  const line = lines.linePos(error.pos[0]).line - 1
  const shown = line === 0 ? 0 : by === 'scanner' ? line + 1 : line
  return new SyntaxFault(shown === 0 ? `yaml: ${says}` : `yaml: line ${shown}: ${says}`)
}

function faultOf(error: YAMLParseError, text: string): Fault {
  const { message } = error
  const flow = /end with a ([\]}])/.exec(message)?.[1]
  if (flow !== undefined) return openFlow(flow, text.slice(0, error.pos[0]), text[error.pos[0]])
  switch (error.code) {
    case 'TAB_AS_INDENT':
    case 'BAD_SCALAR_START':
      return scanner('found character that cannot start any token')
    case 'BLOCK_AS_IMPLICIT_KEY':
      return scanner('mapping values are not allowed in this context')
    case 'MULTILINE_IMPLICIT_KEY':
      return scanner("could not find expected ':'")
    case 'MISSING_CHAR':
      if (message.includes('quote')) return scanner('found unexpected end of stream')
      return message.startsWith('Implicit map keys') ? scanner("could not find expected ':'") : inFlow(message)
    case 'BAD_DIRECTIVE':
      return scanner('found unknown directive name')
    default:
      return message.includes('block-seq-ind')
        ? scanner('block sequence entries are not allowed in this context')
        : parser('did not find expected key')
  }
}

/** A flow collection that ends in the middle: after a comma or its opening bracket a value is missing. */
function openFlow(end: string, before: string, found: string | undefined): Fault {
  const wantsNode = /[[,:]\s*$/.test(before) && found !== undefined
  return wantsNode ? parser('did not find expected node content') : parser(`did not find expected ',' or '${end}'`)
}

function inFlow(message: string): Fault {
  return parser(`did not find expected ',' or '${message.includes('map') || message.includes('}') ? '}' : ']'}'`)
}
