// Ports that probes and hooks mean: a number, or the name of a port of their container (pkg/probe/util.go). Pure.

import type { PodSpec } from '#kinds'
import { goQuote } from '../ground/go-text.ts'
import { containersOf } from './containers.ts'

type Port = string | number | undefined

interface Of {
  readonly spec: PodSpec
  /** Of the container. */
  readonly name: string
}

function numberOf(port: Port, { spec, name }: Of): number | undefined {
  if (port === undefined || typeof port === 'number') return port
  const container = containersOf(spec).find((one) => one.spec.name === name)?.spec
  return container?.ports?.find((one) => one.name === port)?.containerPort
}

/** The port as it stands in an address. */
export const portText = (port: Port, of: Of): string => String(numberOf(port, of) ?? port ?? '')

/** Why nobody knows which port is meant: the container has none of that name, and a name is no number. */
export const portFault = (port: Port, of: Of): string | undefined =>
  port === undefined || numberOf(port, of) !== undefined
    ? undefined
    : `strconv.Atoi: parsing ${goQuote(String(port))}: invalid syntax`
