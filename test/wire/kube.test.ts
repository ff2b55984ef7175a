// The Kubernetes wire in both protocols.
import { describe } from 'vitest'
import { kubeSuite } from './kube-suite.ts'

describe.each(['HTTP/1.1', 'HTTP/2'] as const)('over %s', kubeSuite)
