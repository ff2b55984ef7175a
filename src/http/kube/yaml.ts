// Objects as YAML, as Kubernetes writes it: keys sorted, lists not indented, no folding of long lines.

import { stringify } from 'yaml'

export function toYaml(value: unknown): string {
  return stringify(value, {
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
    version: '1.1',
  })
}
