// What a container leaves as its last words: the file at its terminationMessagePath, or the end of its log.

import { type ContainerRecord, type ContainerSpec, containersOf } from '../containers/containers.ts'
import { lastBytes } from '../ground/bytes.ts'
import type { PodLife } from '../life/pod-life.ts'
import { variablesIn } from '../life/pod-variables.ts'
import type { Run } from '../workload/workload.ts'

const longestFile = 4096
const longestLog = 2048
const mostLogLines = 80

function lastLines(text: string, count: number): string {
  const lines = text.split('\n')
  const ended = lines.at(-1) === '' ? 1 : 0
  return lines.slice(-(count + ended)).join('\n')
}

function filledIn(run: PodLife, spec: ContainerSpec['spec'], text: string): string {
  const variables = variablesIn(run, spec)
  return text.replace(/\$\{env:([^}]+)\}/g, (_whole, name: string) => variables.get(name) ?? '')
}

export function terminationMessage(run: PodLife, record: ContainerRecord, life: Run): string {
  const spec = containersOf(run.pod.spec).find((container) => container.spec.name === record.name)?.spec
  const { terminationMessage: file = '', logTail = '', exitCode = 0 } = life
  const text = spec === undefined || !file.includes('${env:') ? file : filledIn(run, spec, file)
  if (text !== '') return lastBytes(text, longestFile)
  if (spec?.terminationMessagePolicy !== 'FallbackToLogsOnError' || exitCode === 0) return ''
  return lastBytes(lastLines(logTail, mostLogLines), longestLog)
}
