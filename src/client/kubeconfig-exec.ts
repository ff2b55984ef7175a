// Reads `users[].user.exec` of a kubeconfig. Commands with a folder in their names are meant from the kubeconfig's own.

import { isAbsolute, join } from 'node:path'
import type { JsonObject } from '#objects'
import { type ExecCommand, execFault } from './exec-command.ts'

type Fields = Readonly<Record<string, unknown>>

export interface ExecPlace {
  /** Of the kubeconfig. */
  readonly folder: string
  /** The cluster's fields, with its CA read. */
  readonly cluster: Fields
  readonly ca: string | undefined
}

/** The command, or why it cannot be run. */
export function readExec(exec: Fields, place: ExecPlace): ExecCommand | string {
  const named = textOf(exec['command'])
  const hasFolder = /[/\\]/.test(named) && !isAbsolute(named)
  const command = hasFolder ? join(place.folder, named) : named
  const apiVersion = textOf(exec['apiVersion'])
  const fault = execFault({ apiVersion, command }, exec['interactiveMode'])
  if (fault !== undefined) return fault
  const words = exec['args'] ?? []
  if (!isTexts(words)) return 'exec.args is no list of texts'
  const variables = variablesOf(exec['env'] ?? [])
  if (variables === undefined) return 'exec.env is no list of name and value'
  return {
    ...{ apiVersion, command, arguments: words, environment: variables },
    ...(exec['provideClusterInfo'] === true ? { cluster: clusterOf(place) } : {}),
    ...(textOf(exec['installHint']) === '' ? {} : { installHint: textOf(exec['installHint']) }),
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

function variablesOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!Array.isArray(value)) return undefined
  const pairs: [string, string][] = []
  for (const each of value as readonly unknown[]) {
    const { name, value: text } = (each ?? {}) as Fields
    if (typeof name !== 'string' || name === '' || typeof text !== 'string') return undefined
    pairs.push([name, text])
  }
  return Object.fromEntries(pairs)
}

const extensionName = 'client.authentication.k8s.io/exec'

function clusterOf({ cluster, ca }: ExecPlace): JsonObject {
  const extensions = Array.isArray(cluster['extensions']) ? (cluster['extensions'] as readonly Fields[]) : []
  const extension = extensions.find((each) => each?.['name'] === extensionName)
  const told = {
    server: cluster['server'],
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'certificate-authority-data': ca === undefined ? undefined : Buffer.from(ca).toString('base64'),
    'proxy-url': cluster['proxy-url'],
    config: extension?.['extension'],
  }
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)) as JsonObject
}
